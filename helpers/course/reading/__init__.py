"""Files that a reader brings, read within one budget of work for each file.

budget       the limit of work and memory, and the error for a file that cannot be read
documents    text, Markdown, HTML, CSV, DOCX, EPUB, PDF
pdf          the text of a PDF
images       PNG as lists of numbers
"""

from .. import exports
from ..argument_checks import checked

CHECKED = {"decode_bytes", "read_documents"}  # as a cell calls them; the modules need no checks
get = exports(__name__, {"documents": "BOMS decode_bytes read_documents", "images": "read_picture"})


def __getattr__(name):
    return checked(get(name)) if name in CHECKED else get(name)
