"""What a lesson displays: tables, figures, progress, comparisons, source of functions. It knows no lesson."""
