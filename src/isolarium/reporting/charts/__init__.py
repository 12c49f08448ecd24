"""The charts of a report: each is one Altair specification that becomes SVG and PNG without a browser."""
