"""What feature maps are counted under: the layer that saved them, or what there is instead of one."""

import sys

OUTSIDE = "outside the model"
WHOLE = "the model itself"
# Frames from a hook of autograd's up to the function that was compiled.
MOST_FRAMES = 40


def layer_name(name):
    return name or WHOLE


def region_name(name):
    """Of what torch.compile made one region of: its layers are not told apart."""
    return name + " (compiled)"


def outside_name():
    """Of what is saved while no layer is known to run: by torch's own list of code that it compiled, the function that runs, in
    which hooks are silent; else outside the model."""
    codes = getattr(sys.modules.get("torch._dynamo.convert_frame"), "output_codes", None)
    if codes is None or not getattr(codes, "seen_ids", True):
        return OUTSIDE
    frame = sys._getframe(1)
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        if frame.f_code in codes:
            return region_name(getattr(frame.f_code, "co_qualname", frame.f_code.co_name))
        frame = frame.f_back
    return OUTSIDE
