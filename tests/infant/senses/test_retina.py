"""The filters of an eye: gratings vanish at the acuity, faint patterns below the threshold; each filter can be off."""

from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlebox.infant.senses.retina import Retina, blur_degrees, blur_kernel, pixels_per_degree
from puzzlebox.infant.senses.sight import PERFECT, Sight, table, value_at

AGES = (1, 3, 6, 12)
SIZE = 128
# The picture's pixels a degree for each cycle a degree of the acuity; two are needed to show the grating at all.
SHARPNESS = 3.0


def bytes_of(light: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return a grey picture of linear light, as bytes of sRGB."""
    srgb = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.repeat(np.round(255 * srgb).astype(np.uint8)[:, :, None], 3, axis=2)


def light_of(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    value = picture[:, :, 1] / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def grating(cycles_a_pixel: float, contrast: float, upright: bool = True) -> NDArray[np.uint8]:
    wave = 0.3 * (1 + contrast * np.cos(2 * np.pi * cycles_a_pixel * np.arange(SIZE)))
    light = np.tile(wave, (SIZE, 1))
    return bytes_of(light if upright else light.T)


def contrast_left(retina: Retina, picture: NDArray[np.uint8]) -> float:
    """Return the contrast (Michelson) in the middle of a picture after the filter."""
    seen = picture.copy()
    retina.filter(seen)
    middle = light_of(seen)[SIZE // 4 : -SIZE // 4, SIZE // 4 : -SIZE // 4]
    return float((middle.max() - middle.min()) / (middle.max() + middle.min()))


def sharp_retina(sight: Sight) -> tuple[Retina, float]:
    """Return a filter of pictures with three pixels for each cycle of the acuity, and its pixels a degree."""
    assert sight.acuity is not None
    fov = SIZE / (SHARPNESS * sight.acuity)
    fov = 2 * np.degrees(np.arctan(np.radians(fov) / 2))
    density = pixels_per_degree(SIZE, fov)
    assert density == pytest.approx(SHARPNESS * sight.acuity)
    return Retina(SIZE, fov, replace(sight, field_across=None, field_up=None)), density


@pytest.mark.parametrize("upright", [True, False])
@pytest.mark.parametrize("age", AGES)
def test_gratings_are_told_from_grey_just_below_the_acuity_and_not_just_above_it(age: int, upright: bool) -> None:
    sight = Sight.at(age)
    assert sight.acuity is not None
    retina, density = sharp_retina(sight)
    coarse, fine = (contrast_left(retina, grating(f * sight.acuity / density, 1.0, upright)) for f in (0.88, 1.12))
    one_byte = 0.008
    assert fine <= one_byte
    assert coarse > 2 * one_byte


@pytest.mark.parametrize("age", AGES)
def test_the_blur_alone_leaves_a_just_visible_contrast_at_the_acuity(age: int) -> None:
    sight = Sight.at(age)
    assert sight.acuity is not None and sight.contrast_sensitivity is not None
    _, density = sharp_retina(sight)
    kernel = blur_kernel(blur_degrees(sight) * density)
    phase = 2 * np.pi * sight.acuity / density * np.arange(len(kernel))
    passed = float(2 * (kernel * np.cos(phase)).sum() - kernel[0])
    assert passed == pytest.approx(1 / sight.contrast_sensitivity, rel=0.1, abs=0.004)


@pytest.mark.parametrize("cycles_a_pixel", [0.04, 0.07, 0.1, 0.17, 0.3])
def test_contrast_below_the_threshold_vanishes_and_far_above_it_stays(cycles_a_pixel: float) -> None:
    retina = Retina(SIZE, 60, Sight(contrast_sensitivity=10))
    assert contrast_left(retina, grating(cycles_a_pixel, 0.08)) < 0.008
    assert contrast_left(retina, grating(cycles_a_pixel, 0.13)) > 0.02
    assert contrast_left(retina, grating(cycles_a_pixel, 0.9)) > 0.8


@pytest.mark.parametrize("cycles_a_degree", [0.35, 0.5, 0.7, 1.5])
def test_coarse_patterns_below_the_threshold_vanish_also_in_a_foveal_patch(cycles_a_degree: float) -> None:
    # A patch of 6 degrees shows two waves of 0.35 cycles a degree.
    retina, cycles_a_pixel = (
        Retina(SIZE, 6, Sight(contrast_sensitivity=10)),
        cycles_a_degree / pixels_per_degree(SIZE, 6),
    )
    assert contrast_left(retina, grating(cycles_a_pixel, 0.08)) < 0.012
    assert contrast_left(retina, grating(cycles_a_pixel, 0.14)) > 0.02
    assert contrast_left(retina, grating(cycles_a_pixel, 0.9)) > 0.8


def test_colours_become_paler_at_the_same_light() -> None:
    red = np.full((16, 16, 3), (200, 60, 60), np.uint8)
    spreads = []
    for saturation in (1.0, 0.5, 0.0):
        seen = red.copy()
        Retina(16, 60, Sight(saturation=saturation, acuity=1)).filter(seen)
        spreads.append(int(seen[8, 8].max()) - int(seen[8, 8].min()))
        linear = [float(light_of(seen[:, :, k : k + 1].repeat(3, 2))[8, 8]) for k in range(3)]
        assert np.dot(linear, (0.2126, 0.7152, 0.0722)) == pytest.approx(0.1569, abs=0.003)
    assert spreads[0] == 140 > spreads[1] > spreads[2] == 0


def test_what_is_out_of_focus_is_blurred_and_accommodation_follows_the_middle() -> None:
    edge = np.zeros((64, 64, 3), np.uint8)
    edge[:, 32:] = 255
    near, far = np.full((64, 64), 0.2, np.float32), np.full((64, 64), 2.0, np.float32)

    def width(sight: Sight, depth: NDArray[np.float32]) -> int:
        seen = edge.copy()
        Retina(64, 6, sight).filter(seen, depth)
        return int(((seen[32, :, 0] > 5) & (seen[32, :, 0] < 250)).sum())

    fixed = Sight(focus_distance=0.2)
    assert width(fixed, near) == 0
    assert width(fixed, far) > 6
    assert width(replace(fixed, accommodation=1.0), far) == 0
    assert 0 < width(replace(fixed, accommodation=0.5), far) < width(fixed, far)
    assert width(replace(fixed, pupil=0.0), far) == 0


def test_blur_by_distance_has_the_variance_of_the_defocus() -> None:
    size, fov, pupil = 65, 6.0, 0.004
    point = np.zeros((size, size, 3), np.uint8)
    point[32, 32] = 255
    sight = Sight(focus_distance=0.25, pupil=pupil, depth_of_focus=0.0)
    Retina(size, fov, sight).filter(point, np.full((size, size), 0.5, np.float32))
    light = light_of(point)
    offset = np.arange(size) - 32
    sigma = np.sqrt((light.sum(axis=0) * offset**2).sum() / light.sum())
    # Two dioptres out of focus.
    expected = 2 * np.degrees(pupil) / 4 * pixels_per_degree(size, fov)
    assert sigma == pytest.approx(expected, rel=0.06)


def test_beyond_the_field_all_is_black() -> None:
    seen = np.full((60, 60, 3), 200, np.uint8)
    Retina(60, 90, Sight(field_across=30, field_up=20)).filter(seen)
    assert (seen[30, 30] >= 199).all() and (seen[30, 15:45] > 100).all()
    assert not seen[30, :8].any() and not seen[:14, 30].any()


def test_without_limits_nothing_changes_and_each_limit_can_be_switched_off() -> None:
    picture = np.random.default_rng(3).integers(0, 256, (84, 84, 3)).astype(np.uint8)
    depth = np.full((84, 84), 0.05, np.float32)
    seen = picture.copy()
    Retina(84, 60, PERFECT).filter(seen, depth)
    assert np.array_equal(seen, picture)
    young = Sight.at(1)
    whole = picture.copy()
    Retina(84, 60, young).filter(whole, depth)
    for name in ("acuity", "contrast_sensitivity", "saturation", "focus_distance", "field_up"):
        seen = picture.copy()
        Retina(84, 60, replace(young, **{name: None})).filter(seen, depth)
        assert not np.array_equal(seen, whole), name


def test_the_table_names_a_source_for_each_number_and_improves_with_age() -> None:
    assert set(table()) <= {field.name for field in fields(Sight)}
    assert value_at("acuity", 1) == pytest.approx(0.94)
    assert value_at("acuity", 0) == pytest.approx(0.94)
    assert value_at("acuity", 2.5) < value_at("acuity", 3) < value_at("acuity", 4)
    for name, (months, values) in table().items():
        assert list(months) == sorted(months), name
        assert len(values) == len(months)
        assert values[-1] >= values[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"acuity": 0.0}, "acuity is 0.0; it must be more than 0"),
        ({"contrast_sensitivity": 1.0}, "contrast_sensitivity is 1.0; it must be more than 1"),
        ({"saturation": 1.5}, "saturation is 1.5; it must be 0 to 1"),
        ({"accommodation": -1}, "accommodation is -1; it must be 0 to 1"),
    ],
)
def test_limits_that_make_no_sense_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        Sight(**settings)


def test_an_unknown_quantity_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="did you mean"):
        value_at("acuty", 3)


def test_pictures_and_depths_of_another_size_are_refused_and_depths_that_are_no_numbers_harm_nothing() -> None:
    retina, grey = Retina(16, 60, Sight(focus_distance=0.2, pupil=0.1)), np.full((16, 16, 3), 99, np.uint8)
    with pytest.raises(ValueError, match="picture: size x size x 3 bytes"):
        retina.filter(np.zeros((15, 16, 3), np.uint8))
    with pytest.raises(ValueError, match="depth: one number for each pixel"):
        retina.filter(grey, np.zeros((16, 15), np.float32))
    depth = np.full((16, 16), 0.2, np.float32)
    depth[3, 3] = np.nan
    retina.filter(grey, depth, 5.0)
    assert grey[12, 12].tolist() == [99, 99, 99]


def test_in_the_usual_picture_pixels_and_not_acuity_are_the_limit() -> None:
    density = pixels_per_degree(84, 60)
    finest = density / 2
    assert 84 / 60 / 2 == pytest.approx(0.7) and finest == pytest.approx(0.63, abs=0.01)
    for age in AGES:
        assert value_at("acuity", age) > finest
    assert len(blur_kernel(blur_degrees(Sight.at(1)) * density)) > 1
    assert len(blur_kernel(blur_degrees(Sight.at(12)) * density)) == 1
