#!/usr/bin/python3
"""Paints the three panoramas that greet a new member, into Resources/Welcome/photos.

Needs Debian's python3-numpy and python3-pil. The result depends on nothing but this file: every
random number has a seed. Run from anywhere; `--preview FOLDER` writes PNGs there instead.
"""

import argparse
import io
import pathlib

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

WIDTH, HEIGHT = 2400, 400
SCALE = 2  # painted twice as large and averaged down, for smooth edges
W, H = WIDTH * SCALE, HEIGHT * SCALE

X = np.linspace(0, 1, W, dtype=np.float32)[None, :]  # 0 at the left, 1 at the right
Y = np.linspace(0, 1, H, dtype=np.float32)[:, None]  # 0 at the top, 1 at the bottom
ASPECT = WIDTH / HEIGHT
BYTE_LIMIT = 150_000  # of each finished file


# ---- colors and noise ----


def rgb(text):
    """A colour written as in CSS, as three floats."""
    return np.array([int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)], dtype=np.float32)


def smoothstep(low, high, value):
    t = np.clip((value - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def gradient(stops, t):
    """Colours along `stops` (pairs of place and colour) at the places `t`."""
    places = [place for place, _ in stops]
    colors = np.array([rgb(color) for _, color in stops])
    return np.stack([np.interp(t, places, colors[:, c]) for c in range(3)], axis=-1)


def over(picture, color, alpha):
    """Lays a colour, or a picture, over a picture where `alpha` says how much."""
    alpha = np.broadcast_to(alpha, (H, W))[..., None]
    picture += (color - picture) * alpha


def light(picture, color, amount):
    """Adds light, which brightens and never darkens."""
    amount = np.broadcast_to(amount, (H, W))[..., None]
    picture += (1 - picture) * np.clip(color * amount, 0, 1)


def noise(random, cells_x, cells_y, octaves=4, gain=0.5, shape=(H, W)):
    """Soft noise from 0 to 1 with about so many bumps across and down."""
    total, amplitude, scale = np.zeros(shape, dtype=np.float32), 1.0, 0.0
    for octave in range(octaves):
        grid = random.random(
            (max(2, int(cells_y * 2**octave) + 1), max(2, int(cells_x * 2**octave) + 1))
        ).astype(np.float32)
        bumps = Image.fromarray(grid).resize((shape[1], shape[0]), Image.BICUBIC)
        total += np.asarray(bumps) * amplitude
        scale += amplitude
        amplitude *= gain
    return np.clip(total / scale, 0, 1)


def ridge(random, base, height, bumps, octaves=7, gain=0.5, sharpness=0.0):
    """The height above which there is sky, for each column; 0 is the top of the picture.

    `sharpness` above 0 makes pointed peaks and wide valleys instead of rolling hills.
    """
    line = np.zeros(W, dtype=np.float32)
    amplitude = 1.0
    for octave in range(octaves):
        count = int(bumps * 2**octave) + 3
        values = random.random(count).astype(np.float32)
        at = np.linspace(0, count - 1.001, W)
        left = at.astype(int)
        t = at - left
        if octave > 0 or sharpness == 0:
            t = t * t * (3 - 2 * t)
        line += (values[left] * (1 - t) + values[left + 1] * t) * amplitude
        amplitude *= gain
    line = (line - line.min()) / (line.max() - line.min())
    return base - height * line ** (1 + sharpness)


def below(line, softness=1.5):
    """A mask of what lies below a line, its edge a pixel or so wide."""
    return np.clip((Y - line[None, :]) * H / softness + 0.5, 0, 1)


def distance(x, y):
    """The distance of every pixel from a point, in heights of the picture."""
    return np.hypot((X - x) * ASPECT, Y - y)


class Mask:
    """A stencil to draw shapes on; coordinates in widths and heights of the picture."""

    def __init__(self):
        self.image = Image.new("L", (W, H), 0)
        self.draw = ImageDraw.Draw(self.image)

    @staticmethod
    def at(points):
        return [(x * W, y * H) for x, y in points]

    def polygon(self, points, value=255):
        self.draw.polygon(self.at(points), fill=value)

    def box(self, left, top, right, bottom, value=255):
        self.draw.rectangle((left * W, top * H, right * W, bottom * H), fill=value)

    def disc(self, x, y, radius, value=255):
        """`radius` in heights of the picture."""
        r = radius * H
        self.draw.ellipse((x * W - r, y * H - r, x * W + r, y * H + r), fill=value)

    def line(self, points, width, value=255):
        """`width` in heights of the picture."""
        self.draw.line(self.at(points), fill=value, width=max(1, round(width * H)), joint="curve")

    def array(self, blur=0.0):
        image = self.image
        if blur:
            image = image.filter(ImageFilter.GaussianBlur(blur * H))
        return np.asarray(image, dtype=np.float32) / 255


def blurred(mask, across, down):
    """A mask smeared by so many heights of the picture in either direction."""
    # A Gaussian blur of a picture squeezed until both distances are three pixels.
    size = (max(2, round(3 * W / (across * H))), max(2, round(3 / down)))
    squeezed = Image.fromarray(np.clip(mask, 0, 1).astype(np.float32)).resize(size, Image.BOX)
    padded = np.pad(np.asarray(squeezed), 9, mode="edge")
    kernel = np.exp(-((np.arange(-9, 10) / 3) ** 2) / 2)
    kernel /= kernel.sum()
    for axis in (0, 1):
        padded = np.apply_along_axis(lambda row: np.convolve(row, kernel, "same"), axis, padded)
    smooth = Image.fromarray(padded[9:-9, 9:-9].astype(np.float32))
    return np.clip(np.asarray(smooth.resize((W, H), Image.BICUBIC)), 0, 1)


def reflected(picture, horizon, stretch, random, ripple):
    """What a lake shows from `horizon` down: the picture above it, upside down and rippled."""
    depth = np.clip(Y - horizon, 0, 1)
    waves = noise(random, 60, 260, 2) - 0.5
    fine = noise(random, 180, 400, 2) - 0.5
    grow = 0.15 + depth / (1 - horizon)
    source_y = horizon - depth * stretch + waves * ripple * grow
    shift = (waves * 0.5 + fine) * ripple * grow * 0.12
    rows = np.clip(source_y * H, 0, horizon * H - 1).astype(int)
    columns = np.clip((X + shift) * W, 0, W - 1).astype(int)
    return picture[rows, columns], waves


# ---- 1: dawn over the lake ----


def dawn():
    random = np.random.default_rng(11)
    horizon, sun = 0.66, (0.60, 0.47)

    picture = gradient(
        [
            (0.00, "#1d1f4f"), (0.16, "#3b3278"), (0.32, "#7c4a93"), (0.44, "#cf6a8a"),
            (0.54, "#f79a6b"), (0.63, "#ffd08a"), (1.00, "#ffe9b8"),
        ],
        np.broadcast_to(Y, (H, W)),
    ).astype(np.float32)
    far = distance(*sun)
    light(picture, rgb("#ff9a4d"), 0.75 * np.exp(-far / 0.75))
    light(picture, rgb("#ffe2a0"), 0.9 * np.exp(-far / 0.16))

    stars = random.random((H, W)) > 0.99985
    stars = np.asarray(
        Image.fromarray((stars * 255).astype(np.uint8)).filter(ImageFilter.MaxFilter(3))
    )
    away = smoothstep(0.5, 2.2, far)
    light(picture, rgb("#ffffff"), stars / 255 * smoothstep(0.30, 0.0, Y) * away * 0.9)

    # Long clouds, lit from below.
    clouds = noise(random, 9, 7, 6, 0.55)
    bank = smoothstep(0.50, 0.70, clouds) * smoothstep(0.02, 0.16, Y) * smoothstep(0.58, 0.38, Y)
    glow = np.clip(1.1 - far / 1.7, 0, 1)[..., None]
    over(picture, rgb("#5a3a7e") * (1 - glow) + rgb("#ff8f7a") * glow, bank * 0.75)
    lower = np.clip(bank - np.roll(bank, -10, axis=0), 0, 1)
    light(picture, rgb("#ffd9a0"), lower * 3.2 * np.clip(1.2 - far / 2.0, 0, 1))

    disc = smoothstep(0.094, 0.088, far)
    over(picture, rgb("#fff6d8"), disc)

    # Five ranges; the farthest wear snow.
    ranges = [
        (0.61, 0.42, 9, 0.55, "#a76c9b", "#ffc9b0"),
        (0.63, 0.40, 12, 0.95, "#6f528f", "#ff9f8a"),
        (0.65, 0.27, 15, 0.70, "#4d4080", None),
        (0.665, 0.15, 24, 0.40, "#322f66", None),
    ]
    for index, (base, height, bumps, sharp, color, snow) in enumerate(ranges):
        line = ridge(random, base, height, bumps, sharpness=sharp)
        if index == 1:  # the sun rises in a saddle
            line += 0.16 * np.exp(-(((X[0] - sun[0]) * ASPECT / 0.42) ** 2))
        if index == 0:
            line += 0.10 * np.exp(-(((X[0] - sun[0]) * ASPECT / 0.30) ** 2))
        mask = below(line)
        depth = np.clip((Y - line[None, :]) / 0.3, 0, 1)[..., None]
        haze = rgb("#f7a37c") if index < 2 else rgb("#8f6aa0")
        body = rgb(color) * (1 - depth * 0.55) + haze * depth * 0.55
        if snow:
            # Slopes that face the sun are pink, the others blue; snow ends in a ragged line.
            slope = np.gradient(line) * W / H
            slope = np.convolve(slope, np.ones(9) / 9, "same")
            facing = np.clip(0.5 + slope * np.sign(X[0] - sun[0]) * 0.45, 0, 1)[None, :, None]
            ragged = noise(random, 260, 30, 4, 0.6)
            height_here = np.clip((base - line) / height, 0, 1)[None, :]
            snow_line = line[None, :] + 0.10 * height_here**1.5 + (ragged - 0.5) * 0.10
            cover = smoothstep(0.012, -0.012, Y - snow_line) * smoothstep(0.25, 0.5, height_here)
            shade = rgb("#8a7cc0") * (1 - facing) + rgb(snow) * facing
            rock = noise(random, 400, 60, 3)[..., None]
            body = body * (0.90 + 0.2 * rock)
            body = body + (shade - body) * cover[..., None] * (0.55 + 0.45 * rock)
        over(picture, body, mask)
        light(picture, rgb("#ffb070"), mask * 0.5 * np.exp(-far / 0.35) * (index < 2))
        # Mist lies in the valley before the next range.
        mist = smoothstep(base - 0.10, base, Y) * (0.25 + 0.5 * noise(random, 18, 6, 4))
        over(picture, rgb("#ffc9a8") if index < 2 else rgb("#c59ab8"), mist * mask * 0.7)

    # Woods along the far shore.
    shore = ridge(random, horizon + 0.002, 0.035, 260, octaves=4, sharpness=0.5)
    over(picture, rgb("#231f4d"), below(shore) * (Y < horizon))

    # The lake.
    mirror, waves = reflected(picture, horizon, 1.55, random, 0.035)
    water = below(np.full(W, horizon, dtype=np.float32))
    depth = np.clip((Y - horizon) / (1 - horizon), 0, 1)
    over(picture, mirror * 0.86 + rgb("#241d55") * 0.10, water)
    over(picture, rgb("#17163f"), water * smoothstep(0.25, 1.0, depth) * 0.55)
    path = np.exp(-(((X - sun[0]) * ASPECT / (0.06 + 0.30 * depth)) ** 2))
    glitter = smoothstep(0.52, 0.78, noise(random, 320, 240, 2))
    light(picture, rgb("#ffcf85"), water * path * (0.30 + 1.1 * glitter) * (1 - 0.45 * depth))
    light(picture, rgb("#ffd9b0"), water * smoothstep(0.03, 0.0, Y - horizon) * 0.35)

    # A boat, and the two who got up early enough.
    boat = Mask()
    bx, by, s = 0.435, 0.79, 0.0105
    boat.polygon([
        (bx - s, by - 0.020), (bx + s, by - 0.020), (bx + s * 0.78, by + 0.014),
        (bx - s * 0.74, by + 0.014),
    ])
    for dx in (-0.0040, 0.0042):
        boat.disc(bx + dx, by - 0.075, 0.013)
        boat.polygon([
            (bx + dx - 0.0021, by - 0.018), (bx + dx + 0.0021, by - 0.018),
            (bx + dx + 0.0013, by - 0.062), (bx + dx - 0.0013, by - 0.062),
        ])
    boat.line([(bx - 0.003, by - 0.045), (bx - 0.018, by + 0.022)], 0.006)
    boat.line([(bx + 0.005, by - 0.045), (bx + 0.020, by + 0.022)], 0.006)
    shape = boat.array(0.0012)
    shadow = np.roll(shape[::-1], round((2 * (by + 0.016) - 1) * H), axis=0)
    over(picture, rgb("#1b1440"), blurred(shadow, 0.006, 0.02) * 0.55)
    over(picture, rgb("#140f2e"), shape)

    # Pines on either side, and the bank they stand on.
    line = 0.985 - 0.10 * np.exp(-((X[0] / 0.10) ** 2)) - 0.12 * np.exp(
        -(((1 - X[0]) / 0.13) ** 2)
    )
    line = line + (ridge(random, 0, 0.03, 120, octaves=4) + 0.015)
    trees = Mask()
    spots = [(random.uniform(-0.01, 0.155), 1.0) for _ in range(26)]
    spots += [(1 - random.uniform(-0.01, 0.205), 1.0) for _ in range(34)]
    for x, _ in spots:
        edge = min(x, 1 - x)
        height = random.uniform(0.20, 0.42) * (1.25 - edge * 3.6) + 0.10
        foot = float(np.interp(x, X[0], line)) + 0.03
        pine(trees, random, x, foot, height)
    forest = np.clip(trees.array() + below(line), 0, 1)
    over(picture, rgb("#0e0d26"), forest)
    rim = np.clip(forest - np.roll(forest, 4, axis=1), 0, 1) * (X > 0.5)
    rim += np.clip(forest - np.roll(forest, -4, axis=1), 0, 1) * (X < 0.5)
    light(picture, rgb("#ff9a6a"), rim * 0.35)
    return picture


def pine(mask, random, x, foot, height):
    """A pine as a pile of ragged triangles."""
    width = height * random.uniform(0.15, 0.20) / ASPECT
    mask.line([(x, foot), (x, foot - height)], 0.006)
    steps = 11
    for step in range(steps):
        t = step / steps
        top = foot - height * (1.0 - t * 0.86)
        reach = width * (0.12 + t) * random.uniform(0.8, 1.15)
        drop = height * 0.15
        mask.polygon([
            (x, top - height * 0.035),
            (x + reach, top + drop * random.uniform(0.75, 1.1)),
            (x + reach * 0.35, top + drop * 0.72),
            (x - reach * 0.35, top + drop * 0.72),
            (x - reach, top + drop * random.uniform(0.75, 1.1)),
        ])


# ---- 2: the city at night ----


def city():
    random = np.random.default_rng(23)
    horizon = 0.76
    picture = gradient(
        [
            (0.00, "#070a24"), (0.28, "#141a4a"), (0.50, "#2c2568"), (0.64, "#5b2f7c"),
            (0.76, "#a8447c"), (1.00, "#c0587c"),
        ],
        np.broadcast_to(Y, (H, W)),
    ).astype(np.float32)
    veil = noise(random, 8, 4, 5)
    light(picture, rgb("#7d4fb0"), veil * smoothstep(0.05, 0.7, Y) * 0.28)

    sizes = random.random((H, W))
    small, large = sizes > 0.99965, sizes > 0.99996
    stars = np.maximum(
        np.asarray(Image.fromarray((small * 160).astype(np.uint8))),
        np.asarray(Image.fromarray((large * 255).astype(np.uint8)).filter(ImageFilter.MaxFilter(5))),
    )
    light(picture, rgb("#e8ecff"), stars / 255 * smoothstep(0.62, 0.15, Y))

    # The moon, with a few seas.
    moon = (0.175, 0.25)
    far = distance(*moon)
    light(picture, rgb("#9db4ff"), 0.55 * np.exp(-far / 0.22))
    seas = noise(random, 150, 26, 3)
    over(
        picture,
        rgb("#fff3d2") * (1 - 0.18 * smoothstep(0.45, 0.7, seas))[..., None],
        smoothstep(0.118, 0.112, far),
    )

    # Three rows of houses, the far ones in the haze.
    lamps = np.zeros((H, W, 3), dtype=np.float32)
    rows = [
        (280, 0.12, 0.32, "#51409a", "#7a4a96", 0.22, 1),
        (140, 0.13, 0.46, "#2f3078", "#4a3a80", 0.42, 2),
        (74, 0.09, 0.42, "#12143c", "#1d1d48", 0.50, 3),
    ]
    for index, (count, low, high, color, foot, lit, size) in enumerate(rows):
        outline = Mask()
        houses = []
        downtown = np.array([0.34, 0.52, 0.64])
        for _ in range(count):
            x = random.uniform(-0.01, 1.01 if index < 2 else 0.735)
            tall = float(np.exp(-(((x - downtown) / 0.075) ** 2)).max())
            height = low + (high - low) * random.random() ** 1.7 * (0.30 + 0.85 * tall)
            width = random.uniform(0.006, 0.0145) * (0.8 + 0.25 * index)
            houses.append((x, width, horizon - height))
        if index == 1:
            houses += [(0.335, 0.011, 0.20), (0.515, 0.013, 0.155), (0.64, 0.011, 0.235)]
        houses.sort(key=lambda house: house[2])
        for x, width, top in houses:
            outline.box(x - width / 2, top, x + width / 2, horizon)
            roof(outline, random, x, width, top)
        body = outline.array()
        t = np.clip((Y - 0.2) / (horizon - 0.2), 0, 1)[..., None]
        over(picture, rgb(color) * (1 - t) + rgb(foot) * t, body)
        for x, width, top in houses:
            windows(picture, lamps, random, x, width, top, horizon, lit, size)

    # Three towers that one remembers.
    spire(picture, lamps, random, 0.335, 0.20, "#1b1c4f")
    spire(picture, lamps, random, 0.515, 0.155, "#22205a")
    spire(picture, lamps, random, 0.64, 0.235, "#1b1c4f")
    tower(picture, lamps, 0.445, horizon)

    bridge(picture, lamps, horizon)

    # The quay, and water that holds all of it as long streaks.
    lower = below(np.full(W, horizon, dtype=np.float32))
    mirror, waves = reflected(picture, horizon, 2.6, random, 0.05)
    smeared = np.stack([blurred(mirror[..., c], 0.010, 0.07) for c in range(3)], axis=-1)
    depth = np.clip((Y - horizon) / (1 - horizon), 0, 1)
    over(picture, smeared * 0.72 + mirror * 0.18, lower)
    over(picture, rgb("#0a0d2e"), lower * (0.18 + 0.50 * depth))
    column = lamps[: int(horizon * H)].max(axis=0)
    column = np.stack(
        [np.convolve(column[:, c], np.hanning(15) / 7.5, "same") for c in range(3)], axis=-1
    )
    choppy = 0.35 + 0.9 * smoothstep(0.42, 0.72, noise(random, 200, 200, 2))
    amount = (lower * (1 - depth) ** 1.2 * choppy)[..., None]
    picture += (1 - picture) * np.clip(column[None] * amount * 0.55, 0, 1)
    glints = smoothstep(0.70, 0.86, noise(random, 420, 260, 2)) * lower
    path = np.exp(-(((X - moon[0]) * ASPECT / (0.08 + 0.20 * depth)) ** 2))
    light(picture, rgb("#fff0d0"), glints * path * 0.9 + lower * path * 0.10)
    light(picture, rgb("#ffb27a"), smoothstep(0.012, 0.0, np.abs(Y - horizon)) * 0.35 * (X < 0.74))

    # Light spills into the air.
    for c in range(3):
        glow = blurred(lamps[..., c], 0.04, 0.04) * 0.40 + blurred(lamps[..., c], 0.011, 0.011) * 0.55
        picture[..., c] += (1 - picture[..., c]) * np.clip(glow, 0, 1) * (Y < horizon + 0.02)
    return picture


def roof(mask, random, x, width, top):
    kind = random.random()
    if kind < 0.18:
        mask.line([(x, top), (x, top - random.uniform(0.03, 0.08))], 0.004)
    elif kind < 0.32:
        mask.polygon([(x - width / 2, top), (x + width / 2, top), (x, top - 0.03)])
    elif kind < 0.55:
        mask.box(x - width * 0.3, top - 0.018, x + width * 0.2, top)


def windows(picture, lamps, random, x, width, top, bottom, lit, size):
    """Lights some of a house's windows; floors of offices stay dark or bright together."""
    w, h = 2 + size, 3 + size
    step_x, step_y = w + 3, h + 4
    left, right = int((x - width / 2) * W) + 3, int((x + width / 2) * W) - w - 1
    warm = [rgb("#ffd27a"), rgb("#ffb45e"), rgb("#ffe9b0"), rgb("#9fd8ff"), rgb("#ff9a7a")]
    main = warm[random.choice(5, p=[0.38, 0.22, 0.22, 0.12, 0.06])]
    share = lit * random.uniform(0.35, 1.25)
    for row in range(int(top * H) + 5, int(bottom * H) - 8, step_y):
        floor = share * random.choice([0.25, 1.0, 1.5])
        for column in range(left, right, step_x):
            if column < 0 or column + w >= W or random.random() > floor:
                continue
            color = main if random.random() < 0.8 else warm[random.integers(5)]
            bright = random.uniform(0.45, 1.0) * (0.55 + 0.15 * size)
            area = picture[row : row + h, column : column + w]
            area += (color - area) * min(1.0, bright)
            lamps[row : row + h, column : column + w] = color * bright


def spire(picture, lamps, random, x, top, color):
    mask = Mask()
    mask.polygon([(x - 0.0042, top), (x + 0.0042, top), (x, top - 0.055)])
    mask.line([(x, top), (x, top - 0.10)], 0.005)
    over(picture, rgb(color), mask.array())
    lamp(picture, lamps, x, top - 0.10, 0.008, "#ff4d5e")


def tower(picture, lamps, x, horizon):
    """A television tower: a mast, a ball, a needle."""
    mask = Mask()
    mask.polygon([
        (x - 0.0045, horizon), (x + 0.0045, horizon), (x + 0.0012, 0.24), (x - 0.0012, 0.24),
    ])
    mask.line([(x, 0.25), (x, 0.07)], 0.006)
    mask.disc(x, 0.245, 0.045)
    mask.box(x - 0.0105, 0.236, x + 0.0105, 0.254)
    over(picture, rgb("#4a51a8"), mask.array())
    over(picture, rgb("#23265f"), mask.array() * smoothstep(x - 0.0005, x + 0.003, X) * 0.8)
    ring = Mask()
    for i in range(-4, 5):
        ring.disc(x + i * 0.0016, 0.243, 0.006)
    over(picture, rgb("#7fe3ff"), ring.array())
    lamps += ring.array()[..., None] * rgb("#7fe3ff")
    lamp(picture, lamps, x, 0.07, 0.010, "#ff4d5e")


def lamp(picture, lamps, x, y, radius, color):
    mask = Mask()
    mask.disc(x, y, radius)
    shape = mask.array()
    over(picture, rgb(color), shape)
    lamps += shape[..., None] * rgb(color)


def bridge(picture, lamps, horizon):
    """A suspension bridge to the right bank, with lamps on its cables."""
    deck, tops, left, right = horizon - 0.075, 0.33, 0.735, 1.02
    towers = [0.80, 0.945]
    mask = Mask()
    mask.box(left - 0.02, deck, right, deck + 0.018)
    for x in towers:
        mask.box(x - 0.0036, tops - 0.02, x - 0.0018, horizon + 0.01)
        mask.box(x + 0.0018, tops - 0.02, x + 0.0036, horizon + 0.01)
        for y in (tops + 0.01, tops + 0.13, tops + 0.25):
            mask.box(x - 0.0036, y, x + 0.0036, y + 0.014)
        mask.box(x - 0.0055, horizon - 0.015, x + 0.0055, horizon + 0.012)

    def cable(start, end, sag):
        (x0, y0), (x1, y1) = start, end
        t = np.linspace(0, 1, 60)
        return [
            (x0 + (x1 - x0) * s, y0 + (y1 - y0) * s + sag * 4 * s * (1 - s)) for s in t
        ]

    cables = [
        cable((left - 0.01, deck), (towers[0], tops), 0.05),
        cable((towers[0], tops), (towers[1], tops), deck - tops - 0.02),
        cable((towers[1], tops), (1.09, deck), 0.05),
    ]
    for points in cables:
        mask.line(points, 0.006)
        for x, y in points[::2]:
            mask.line([(x, y), (x, deck)], 0.0025)
    over(picture, rgb("#16143c"), mask.array())
    beads = Mask()
    for points in cables:
        for x, y in points[::3]:
            beads.disc(x, y, 0.0062)
    shape = beads.array()
    over(picture, rgb("#ffe6b0"), shape)
    lamps += shape[..., None] * rgb("#ffdf9a")
    cars = Mask()
    for x in np.arange(left - 0.015, 1.0, 0.0052):
        cars.disc(x, deck - 0.006, 0.005)
    over(picture, rgb("#ffb35a"), cars.array())
    lamps += cars.array()[..., None] * rgb("#ffa040")
    for x in towers:
        lamp(picture, lamps, x - 0.0027, tops - 0.025, 0.009, "#ff4d5e")
        lamp(picture, lamps, x + 0.0027, tops - 0.025, 0.009, "#ff4d5e")


# ---- 3: the coast with the lighthouse ----


def coast():
    random = np.random.default_rng(37)
    horizon = 0.50
    picture = gradient(
        [(0.00, "#2f8fe0"), (0.25, "#63b4f0"), (0.45, "#b4dff7"), (0.52, "#e6f5fb"), (1, "#e6f5fb")],
        np.broadcast_to(Y, (H, W)),
    ).astype(np.float32)

    # Cumulus, in a few heaps: white above, blue-gray below.
    heaps = Mask()
    for cx, cy, width, height in [
        (0.08, 0.32, 0.10, 0.16), (0.40, 0.24, 0.12, 0.20), (0.57, 0.36, 0.07, 0.09),
        (0.74, 0.27, 0.13, 0.20), (0.93, 0.36, 0.09, 0.12), (0.27, 0.38, 0.05, 0.06),
    ]:
        bumps = random.uniform(0.45, 1.0, 6)

        def tops(along):
            return np.interp(along, np.linspace(-0.85, 0.85, 6), bumps)

        for _ in range(240):
            along = random.normal(0, 0.36)
            if abs(along) > 0.8:
                continue
            up = random.random() ** 1.4 * (1 - along * along) * tops(along)
            radius = random.uniform(0.020, 0.048) * (1.15 - 0.5 * up) * (height / 0.16) ** 0.7
            heaps.disc(cx + along * width, cy - up * height, radius * (1 - 0.6 * abs(along)))
    cover = heaps.array(0.004)
    ragged = noise(random, 260, 46, 5, 0.62)
    cover = smoothstep(0.22, 0.80, cover * (0.55 + 0.9 * ragged))
    lit = heaps.array(0.03)
    shade = np.clip(lit - np.roll(lit, round(0.05 * H), axis=0) + 0.62, 0, 1)[..., None]
    body = rgb("#9fbcd8") * (1 - shade) + rgb("#ffffff") * shade
    over(picture, body * (0.93 + 0.07 * ragged[..., None]), cover * 0.97)

    # The sea: deep blue far out, turquoise near the beach.
    sea = below(np.full(W, horizon, dtype=np.float32))
    depth = np.clip((Y - horizon) / (1 - horizon), 0, 1)
    water = gradient(
        [(0, "#1f6fb5"), (0.22, "#1b86bf"), (0.50, "#1fa7c4"), (0.78, "#48cbc9"), (1, "#8fe3d2")],
        np.broadcast_to(depth, (H, W)),
    )
    over(picture, water, sea)
    swell = noise(random, 70, 150, 4, 0.6) - 0.5
    fine = noise(random, 260, 320, 3) - 0.5
    light(picture, rgb("#d8f6ff"), sea * np.clip(swell + fine * 0.7 - 0.06, 0, 1) * 1.3)
    over(picture, rgb("#0b4f8a"), sea * np.clip(-swell - fine * 0.5 - 0.04, 0, 1) * 1.1)
    sun = np.exp(-(((X - 0.60) * ASPECT / (0.5 + 0.7 * depth)) ** 2))
    sparkle = smoothstep(0.63, 0.80, noise(random, 420, 300, 2))
    light(picture, rgb("#ffffff"), sea * sun * sparkle * smoothstep(0.75, 0.0, depth) * 0.9)

    # An island in the haze.
    island = ridge(random, horizon + 0.004, 0.07, 5, sharpness=0.2)
    rises = np.exp(-(((X[0] - 0.53) / 0.06) ** 2)) + 0.6 * np.exp(-(((X[0] - 0.885) / 0.035) ** 2))
    island = horizon + 0.004 + (island - horizon - 0.004) * rises
    over(picture, rgb("#7ea9c4"), below(island) * (Y < horizon + 0.002))

    for x, y, size, color in [
        (0.475, 0.575, 0.115, "#ffffff"), (0.655, 0.535, 0.055, "#fff4e0"),
        (0.705, 0.640, 0.150, "#ffffff"), (0.83, 0.545, 0.060, "#ffffff"),
    ]:
        sailboat(picture, x, y, size, color)

    beach(picture, random)
    headland(picture, random, horizon)
    lighthouse(picture, 0.205, 0.410)
    gulls(picture, random)
    return picture


def sailboat(picture, x, y, size, color):
    s = size / ASPECT
    shadow = Mask()
    shadow.polygon([(x - 0.3 * s, y), (x + 0.3 * s, y), (x + 0.1 * s, y + size * 0.7)])
    light(picture, rgb("#ffffff"), blurred(shadow.array(), 0.01, 0.03) * 0.30)
    sails = Mask()
    sails.polygon([(x + 0.03 * s, y - size), (x + 0.03 * s, y - 0.14 * size), (x + 0.50 * s, y - 0.14 * size)])
    over(picture, rgb(color), sails.array())
    jib = Mask()
    jib.polygon([(x - 0.02 * s, y - 0.92 * size), (x - 0.02 * s, y - 0.14 * size), (x - 0.42 * s, y - 0.12 * size)])
    over(picture, rgb("#ff6b57"), jib.array())
    hull = Mask()
    hull.polygon([
        (x - 0.50 * s, y - 0.10 * size), (x + 0.55 * s, y - 0.10 * size), (x + 0.38 * s, y + 0.04 * size),
        (x - 0.36 * s, y + 0.04 * size),
    ])
    over(picture, rgb("#24466e"), hull.array())


def beach(picture, random):
    """Sand in the right foreground, with surf along its edge."""
    x = X[0]
    edge = 1.10 - 0.30 * smoothstep(0.34, 1.0, x) + 0.02 * np.sin(x * 38) * smoothstep(0.3, 0.6, x)
    edge = edge.astype(np.float32)
    grain = noise(random, 700, 160, 3)
    dunes = noise(random, 30, 14, 4)
    wet = below(edge - 0.020, 14)
    over(picture, rgb("#c9a36a"), wet * 0.9)
    sand = below(edge + 0.012, 8)
    tone = (0.80 + 0.16 * dunes + 0.10 * grain)[..., None]
    over(picture, rgb("#ffe2a6") * tone, sand)
    for offset, strength in ((-0.028, 1.0), (-0.075, 0.75), (-0.125, 0.45)):
        wobble = noise(random, 120, 2, 4, 0.6, shape=(8, W))[4] - 0.5
        line = edge + offset + wobble * 0.045
        rough = noise(random, 500, 90, 3)
        band = np.exp(-(((Y - line[None, :]) / 0.011) ** 2)) * smoothstep(0.25, 0.6, rough)
        over(picture, rgb("#ffffff"), np.clip(band * 1.4, 0, 1) * strength * (x[None, :] > 0.33))
    # Parasols.
    for px, py, size, color in [
        (0.800, 0.955, 0.060, "#ff5a4f"), (0.855, 0.930, 0.055, "#ffc531"),
        (0.915, 0.945, 0.066, "#2fb5a8"), (0.965, 0.900, 0.055, "#ff7fa5"),
    ]:
        pole = Mask()
        pole.line([(px, py - size), (px + 0.001, py + size * 0.55)], 0.006)
        over(picture, rgb("#7a5a3c"), pole.array())
        r, s = size, size / ASPECT
        cap = Mask()
        points = [
            (px + np.cos(a) * s, py - size - np.sin(a) * r * 0.62 + r * 0.3)
            for a in np.linspace(0, np.pi, 24)
        ]
        cap.polygon(points)
        over(picture, rgb(color), cap.array())
        stripe = Mask()
        stripe.polygon([
            (px, py - size - r * 0.32), (px + s * 0.25, py - size + r * 0.3),
            (px - s * 0.25, py - size + r * 0.3),
        ])
        over(picture, rgb("#fff6e6"), stripe.array() * 0.9)
        dark = Mask()
        dark.polygon([
            (px - s * 0.4, py + size * 0.5), (px + s * 1.6, py + size * 0.52),
            (px + s * 1.2, py + size * 0.72), (px - s * 0.2, py + size * 0.66),
        ])
        over(picture, rgb("#a5814f"), dark.array(0.004) * 0.55)


def headland(picture, random, horizon):
    """Green downs that end in chalk cliffs, on the left."""
    x = X[0]
    top = ridge(random, 0.0, 0.05, 10, octaves=5) + 0.025
    top = top + 0.40 + 0.05 * np.cos(x * 26) * smoothstep(0.25, 0.0, x)
    end = 0.305
    fall = smoothstep(end - 0.05, end + 0.004, x)
    grass_line = (top + fall * 0.13).astype(np.float32)
    foot = 0.80 + 0.13 * smoothstep(end, 0.0, x) + (noise(random, 60, 2, 5, shape=(8, W))[4] - 0.5) * 0.05
    inside = smoothstep(end + 0.016, end + 0.006, x + (noise(random, 3, 40, 4, 0.6) - 0.5) * 0.022)
    mask = below(grass_line) * (1 - below(foot.astype(np.float32))) * inside

    # Chalk: upright strokes, layers, shade towards the left.
    strokes = noise(random, 330, 7, 4, 0.6)
    layers = noise(random, 12, 46, 3)
    tone = (0.66 + 0.34 * smoothstep(0.25, 0.75, strokes) - 0.12 * smoothstep(0.5, 0.8, layers))
    face = rgb("#fff5e2") * tone[..., None] + rgb("#5f83a8") * (1 - tone[..., None]) * 0.8
    over(picture, face, mask)
    cracks = smoothstep(0.30, 0.18, noise(random, 240, 5, 5, 0.65))
    over(picture, rgb("#8d97a6"), mask * cracks * 0.75)

    # Turf on top hangs over a little.
    turf_depth = 0.13 + 0.10 * (noise(random, 40, 2, 4, shape=(8, W))[4]) * (1 - fall) - fall * 0.07
    edge = grass_line + turf_depth
    rough = (noise(random, 380, 40, 4, 0.6) - 0.5) * 0.07
    turf = mask * (1 - np.clip((Y - edge[None, :] + rough) * H / 6, 0, 1))
    hills = noise(random, 26, 8, 5, 0.55)
    green = gradient([(0, "#2f7d3a"), (0.45, "#56a845"), (0.75, "#93c956"), (1, "#c9e27a")], hills)
    over(picture, green, turf)
    light(picture, rgb("#eaffb0"), turf * smoothstep(0.02, 0.0, Y - grass_line[None, :]) * 0.5)

    # A path to the tower.
    t = np.linspace(0, 1, 40)
    path = Mask()
    path.line(
        [(0.0 + 0.198 * s, 0.525 - 0.085 * s + 0.018 * np.sin(s * 7)) for s in t], 0.014
    )
    over(picture, rgb("#f0dcae"), path.array(0.002) * turf * 0.95)

    # Rocks and surf at the foot.
    rocks = Mask()
    for _ in range(150):
        rx = random.uniform(0.0, end + 0.035)
        ry = float(np.interp(rx, x, foot)) + random.uniform(-0.015, 0.035)
        size = random.uniform(0.010, 0.030)
        angles = np.sort(random.uniform(0, 2 * np.pi, 7))
        rocks.polygon([
            (rx + np.cos(a) * size / ASPECT * 1.5, ry + np.sin(a) * size * 0.8) for a in angles
        ])
    shape = rocks.array(0.0008)
    over(picture, rgb("#8c8478") * (0.75 + 0.5 * noise(random, 300, 70, 3))[..., None], shape)
    light(picture, rgb("#fff4e0"), np.clip(shape - np.roll(shape, 6, axis=0), 0, 1) * 0.55)
    over(picture, rgb("#3f4a5c"), np.clip(shape - np.roll(shape, -5, axis=0), 0, 1) * 0.6)
    foam = Mask()
    for _ in range(420):
        fx = random.uniform(0.0, end + 0.045)
        fy = float(np.interp(fx, x, foot)) + abs(random.normal(0, 0.022)) + 0.012
        foam.disc(fx, fy, random.uniform(0.003, 0.012))
    rough = smoothstep(0.35, 0.6, noise(random, 420, 110, 3))
    over(picture, rgb("#ffffff"), foam.array(0.003) * (0.35 + 0.65 * rough) * (1 - shape * 0.7))


def lighthouse(picture, x, foot):
    """Red and white, with its keeper's house, bright against the sky."""
    foot += 0.035
    top, wide, narrow = 0.150, 0.0092, 0.0056
    height = foot - top

    def half_width(y):
        return narrow + (wide - narrow) * (y - top) / height

    for index in range(7):
        upper, lower = top + height * index / 7, top + height * (index + 1) / 7
        stripe = Mask()
        stripe.polygon([
            (x - half_width(upper), upper), (x + half_width(upper), upper),
            (x + half_width(lower), lower), (x - half_width(lower), lower),
        ])
        color = "#e2362f" if index % 2 == 0 else "#fffaf0"
        over(picture, rgb(color), stripe.array())
    body = Mask()
    body.polygon([(x - narrow, top), (x + narrow, top), (x + wide, foot), (x - wide, foot)])
    side = np.clip((x - X) / wide + 0.1, 0, 1)
    over(picture, rgb("#5a2038"), body.array() * side * 0.50)
    for y in (0.19, 0.29, 0.38):
        pane = Mask()
        pane.box(x - 0.0008, y, x + 0.0012, y + 0.026)
        over(picture, rgb("#20304a"), pane.array())

    gallery = Mask()
    gallery.box(x - narrow * 1.55, top - 0.014, x + narrow * 1.55, top)
    gallery.box(x - narrow * 0.72, top - 0.072, x - narrow * 0.62, top)
    gallery.box(x + narrow * 0.62, top - 0.072, x + narrow * 0.72, top)
    over(picture, rgb("#2b3242"), gallery.array())
    room = Mask()
    room.box(x - narrow * 0.6, top - 0.070, x + narrow * 0.6, top - 0.014)
    over(picture, rgb("#ffe88a"), room.array())
    light(picture, rgb("#fff3b0"), 0.85 * np.exp(-distance(x, top - 0.042) / 0.045))
    cap = Mask()
    cap.polygon([
        (x - narrow * 0.95, top - 0.068), (x + narrow * 0.95, top - 0.068), (x, top - 0.108),
    ])
    cap.line([(x, top - 0.10), (x, top - 0.135)], 0.005)
    over(picture, rgb("#c22a28"), cap.array())

    house = Mask()
    house.box(x + 0.013, foot - 0.062, x + 0.034, foot + 0.012)
    over(picture, rgb("#fffaf0"), house.array())
    shade = Mask()
    shade.box(x + 0.013, foot - 0.062, x + 0.018, foot + 0.012)
    over(picture, rgb("#b8c4d6"), shade.array() * 0.7)
    roof_mask = Mask()
    roof_mask.polygon([
        (x + 0.0115, foot - 0.060), (x + 0.0355, foot - 0.060), (x + 0.031, foot - 0.108),
        (x + 0.016, foot - 0.108),
    ])
    over(picture, rgb("#d9533f"), roof_mask.array())
    details = Mask()
    details.box(x + 0.0205, foot - 0.040, x + 0.0235, foot - 0.018)
    details.box(x + 0.0275, foot - 0.040, x + 0.0305, foot - 0.018)
    over(picture, rgb("#2f5d86"), details.array())


def gulls(picture, random):
    mask = Mask()
    for cx, cy, size in [
        (0.262, 0.17, 0.030), (0.285, 0.225, 0.022), (0.288, 0.11, 0.026), (0.242, 0.265, 0.018),
        (0.500, 0.44, 0.018), (0.640, 0.16, 0.020),
    ]:
        s = size / ASPECT
        for sign in (-1, 1):
            wing = [
                (cx + sign * s * t, cy - size * 0.55 * np.sin(t * 2.5) + size * 0.15 * t)
                for t in np.linspace(0, 1.2, 12)
            ]
            mask.line(wing, 0.0065)
    over(picture, rgb("#ffffff"), mask.array(0.0008))
    under = np.roll(mask.array(0.0008), 3, axis=0)
    over(picture, rgb("#5b6f86"), np.clip(under - mask.array(0.0008), 0, 1) * 0.8)


# ---- output ----

PICTURES = {
    "Dawn over the lake": dawn,
    "City by the river": city,
    "Lighthouse coast": coast,
}


def finish(picture):
    """Averages down, sharpens a little and dithers, so that skies have no steps."""
    small = picture.reshape(HEIGHT, SCALE, WIDTH, SCALE, 3).mean(axis=(1, 3))
    grain = np.random.default_rng(5).random(small.shape) - 0.5
    image = Image.fromarray((np.clip(small * 255 + grain, 0, 255)).astype(np.uint8))
    return image.filter(ImageFilter.UnsharpMask(radius=1.2, percent=45, threshold=2))


def encoded(image):
    """The best JPEG that stays within the limit."""
    for quality in range(90, 40, -2):
        data = io.BytesIO()
        image.save(data, "JPEG", quality=quality, optimize=True, subsampling="4:2:0")
        if data.tell() <= BYTE_LIMIT:
            break
    return data.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preview", type=pathlib.Path, help="a folder for PNGs instead")
    parser.add_argument("names", nargs="*", help="some of: " + ", ".join(PICTURES))
    options = parser.parse_args()
    folder = pathlib.Path(__file__).resolve().parent.parent / "Resources/Welcome/photos"
    for name in options.names or PICTURES:
        image = finish(PICTURES[name]())
        if options.preview:
            options.preview.mkdir(parents=True, exist_ok=True)
            image.save(options.preview / f"{name}.png")
        else:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.jpg").write_bytes(encoded(image))


if __name__ == "__main__":
    main()
