"""One module per screen, each with `draw()`. A screen asks workflows and hands views to components.

Never name this folder `pages`: Streamlit then makes a navigation of its own.
"""
