"""What a lesson displays: tables, figures, progress, comparisons, the source of a function. It knows no lesson."""
