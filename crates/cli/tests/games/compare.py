"""Compares pictures of a model before a background of one color: by its outline, and by the colors in it."""

import numpy
from PIL import Image

# The size that outlines are brought to, and the number of cells along an edge in which colors are averaged.
EDGE, CELLS = 128, 8
# What a picture must share with another of its outline, and how much its colors may differ, where 1 is black and white.
OUTLINE, COLORS = 0.9, 0.1


class Picture:
    """The model in a picture: what it covers, in a square of [`EDGE`] pixels, and its proportions."""

    def __init__(self, image):
        pixels = numpy.asarray(image.convert("RGBA"), dtype=float) / 255
        # Transparent, or of the color of the corner.
        covered = (pixels[..., 3] > 0.5) & (numpy.abs(pixels - pixels[0, 0]).max(axis=2) > 0.1)
        self.is_empty = not covered.any()
        if self.is_empty:
            return
        rows, columns = numpy.where(covered.any(axis=1))[0], numpy.where(covered.any(axis=0))[0]
        left, top, right, bottom = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
        self.width, self.height = right - left, bottom - top
        scale = EDGE / max(self.width, self.height)
        size = max(1, round(self.width * scale)), max(1, round(self.height * scale))
        mask = Image.fromarray((covered[top:bottom, left:right] * 255).astype("uint8")).resize(size)
        color = Image.fromarray((pixels[top:bottom, left:right, :3] * 255).astype("uint8")).resize(size)
        self.covered = numpy.zeros((EDGE, EDGE), dtype=bool)
        self.covered[: size[1], : size[0]] = numpy.asarray(mask) > 127
        self.colors = numpy.zeros((EDGE, EDGE, 3))
        self.colors[: size[1], : size[0]] = numpy.asarray(color, dtype=float) / 255

    def outline(self, other):
        """The part of what either covers that both cover."""
        if self.is_empty or other.is_empty:
            return 0.0
        return float((self.covered & other.covered).sum() / (self.covered | other.covered).sum())

    def cells(self, other):
        """The mean colors of both, in the cells that both cover."""
        side = EDGE // CELLS
        both = self.covered & other.covered
        found = []
        for row in range(0, EDGE, side):
            for column in range(0, EDGE, side):
                cell = both[row : row + side, column : column + side]
                if cell.mean() > 0.3:
                    place = slice(row, row + side), slice(column, column + side)
                    found.append([picture.colors[place][cell].mean(axis=0) for picture in (self, other)])
        return numpy.array(found).reshape(-1, 2, 3)

    def brightness(self, other):
        """The factor from the brightness of this picture to that of another of the same model."""
        cells = self.cells(other)
        return float(cells[:, 1].mean() / max(cells[:, 0].mean(), 1e-3))

    def difference(self, other, brightness=1.0):
        """The mean difference of the colors in cells, after a factor of brightness."""
        cells = self.cells(other)
        return float(numpy.abs(cells[:, 0] * brightness - cells[:, 1]).mean()) if len(cells) else 1.0
