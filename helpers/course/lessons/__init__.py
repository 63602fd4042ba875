"""What only one lesson uses; the number of the lesson is in the file's name. And the overviews of the course.

maps        the network that opens a lesson, and the figure of the course
contents    titles and questions of the lessons
terms       the glossary
placement   ten questions that lead to a lesson
"""

from .. import exports

__getattr__ = exports(
    __name__,
    {
        "maps": "course_figure network_map",
        "contents": "course_map",
        "terms": "glossary",
        "placement": "where_to_begin",
    },
)
