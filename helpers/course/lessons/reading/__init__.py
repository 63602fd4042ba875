"""Reading text from files: plain text, CSV, JSON, HTML, notebooks, DOCX, EPUB and PDF."""
