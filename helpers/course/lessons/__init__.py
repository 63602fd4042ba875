"""What only one lesson uses; the number of the lesson is in the file's name. And the overviews of the course.

maps            the network that opens a lesson, and the figure of the course
contents        titles and questions of the lessons
terms           the glossary
placement       ten questions that lead to a lesson
moving_figures  figures that move: training, attention, a whole step
"""

from .. import exports

__getattr__ = exports(
    __name__,
    {
        "maps": "course_figure network_map",
        "contents": "course_map",
        "terms": "glossary",
        "moving_figures": "attention_in_steps cache_in_steps forward_and_back graph_in_steps graph_of_values "
        "merges_in_steps sampling_in_steps training_in_steps",
        "lesson_15_samplers": "sampler_a sampler_b",
        "lesson_25_whole_way": "keep_model loss_after_prompt lora_gradients_from on_one_line sample_answers "
        "small_llama step_with_cache train_stage whole_way",
    },
)
