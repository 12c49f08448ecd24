"""Charts for reports: Altair specifications, rendered as SVG and PNG without a browser."""
