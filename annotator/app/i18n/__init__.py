"""All labels of the application, in every language it speaks."""
