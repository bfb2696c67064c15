"""A model under observation: hooks on it, and the figures of an iteration when they are asked for."""

import weakref

from .calls import Calls, call_of
from .counters import Counters, resident
from .detail import Detail
from .gradient_hooks import Accumulated
from .holdings import Parts, gradient_storages, gradients, holdings
from .hooks import Gate, LayerHooks, watched
from .layer_names import OUTSIDE, WHOLE, layer_name, region_name
from .module_hooks import before, new_key, out_of_sight
from .optimizers import Optimizers
from .snapshot import Snapshot
from .._storage import quiet_storages
from .tracker import Tracker


class Watch:
    def __init__(self, torch, model, given):
        self._torch = torch
        self._parts = Parts(torch, model)
        self._layer_key, self._gate_key = new_key(), new_key()
        self._layers = {}  # id of a module → LayerHooks
        self._weights = {}  # id of a parameter → handle
        self._counters = Counters(torch)
        self._tracker = Tracker(torch, self._counters)
        self._tracker.enter = self._enter
        self._tracker.entered = self._entered
        self._tracker.gradients_now = self._gradients_now
        self._calls = Calls()
        self._whole = True  # this iteration is followed from its beginning
        self._again = False  # the coming iteration is to be followed, as this one was missed
        self._ids = {}  # id of a parameter → a weak reference to it
        self._wanted = False
        self._signature = self._stamp = self._tally = None
        self._rows = {}
        self._stepped = None  # gradients when the optimizer took its step
        self._most_gradients = 0
        self._gradients_go = False  # between the optimizer's step and record_stats(), by zero_grad()
        self._gates = {}  # id of a module → its handle
        self._optimizers = Optimizers(torch, given, self._is_ours, self._before_step, self._after_step)
        self._refresh()
        out_of_sight.begin(torch)
        self._detail = Detail(1, 0, self._tracker, self._counters)
        self._tracker.start()
        for layer, module in watched(self._parts.modules()):
            if layer in (WHOLE, region_name(WHOLE)):
                self._entered(module)
                break  # the outermost of what goes by that name

    @property
    def layers(self):
        """Names of all that may have feature maps."""
        return list(dict.fromkeys(layer for layer, _ in watched(self._parts.modules()))) + [OUTSIDE]

    def close(self):
        self._disarm()
        out_of_sight.end()
        for layer in self._layers.values():
            layer.remove()
        self._layers = {}
        self._tracker.stop()
        self._optimizers.close()
        for gate in self._gates.values():
            gate.remove()
        self._gates = {}

    def follow(self, closely, wanted):
        """Whether the coming iteration is followed layer by layer, and whether its figures are wanted."""
        self._wanted = wanted
        self._stepped = None
        if closely or self._again:
            self._arm()
        else:
            self._disarm()
        self._whole = self._tracker.armed

    @property
    def follows(self):
        return self._tracker.armed

    def is_trained_by(self, optimizer):
        return self._optimizers.of_this_model(optimizer)

    def finish(self, epoch, iteration):
        """An iteration is over. Whether it was followed."""
        tracker = self._tracker
        tracker.local.stack.clear()
        tracker.ledger.settle()
        followed = tracker.armed
        if followed and sum(self._gradients_now().values()) < self._most_gradients:
            self._gradients_go = True
        if followed and self._whole:
            self._counters.look()
            alone = self._calls.without_gradients()
            self._calls.keep(Detail(epoch, iteration, tracker, self._counters, alone))
        self._detail, same = self._calls.figures()
        # Calls that nobody saw from the first on: the next iteration will tell, if it has them too.
        self._again = not same and self._calls.worth_following()
        self._calls.restart()
        tracker.inputs.restart()
        if followed:
            tracker.ledger.restart()
            tracker.forget()
            self._counters.restart()
        return followed

    def _arm(self):
        if self._tracker.armed:
            return
        self._tracker.arm()
        for layer in self._layers.values():
            layer.put()
        self._hook_layers()

    def _hook_layers(self):
        """Hooks on all layers and weights that have none, also those that came later."""
        before, self._layers = self._layers, {}
        for layer, module in watched(self._parts.modules()):
            known = before.get(id(module))
            if known is not None and known.is_on(module) and known.layer == layer:
                self._layers[id(module)] = before.pop(id(module))
        for gone in before.values():
            gone.remove()
        for layer, module in watched(self._parts.modules()):
            if id(module) not in self._layers:
                self._layers[id(module)] = LayerHooks(self._tracker, layer, module, self._layer_key)
        for name, parameter in self._parts.parameters():
            if id(parameter) not in self._weights:
                self._follow_weight(layer_name(name.rpartition(".")[0]), parameter)

    def _disarm(self):
        if not self._tracker.armed:
            return  # asked for at each step: all of its hooks are off
        self._tracker.disarm()
        for layer in self._layers.values():
            layer.rest()
        for handle in self._weights.values():
            handle.remove()
        self._weights = {}

    def _entered(self, module):
        """A call began with this module: there a gate stays."""
        known = self._gates.get(id(module))
        if known is not None and known.is_on(module):
            return
        for layer, one in watched(self._parts.modules()):
            if one is module:
                self._gates[id(module)] = before(module, self._gate_key, Gate(self._tracker, layer, self._called))

    def _called(self, layer, module, args, kwargs):
        """The model is called. Whether hooks were set just now, as this is something new."""
        calls = self._calls
        calls.add(*call_of(self._torch, layer, module, args, kwargs))
        if self._tracker.armed:
            return False
        if calls.known() or not calls.worth_following():
            self._tracker.refer(args, kwargs)
            return False
        self._whole = calls.first()
        self._wanted = True
        self._arm()
        return True

    def measure(self, epoch, iteration):
        ledger = self._tracker.ledger
        ledger.settle()
        self._refresh()
        gradient_rows, tally = gradients(self._torch, self._parts.parameters())
        ledger.set_gradients(tally.storages())
        live = self._live(tally)
        total = sum(gradient_rows.values())
        if self._stepped is not None and sum(self._stepped.values()) > total:
            # Given back since, by zero_grad().
            gradient_rows = {name: self._stepped.get(name, 0) for name in gradient_rows}
        detail = self._detail
        snapshot = Snapshot()
        snapshot.epoch, snapshot.iteration = epoch, iteration
        snapshot.detail_epoch, snapshot.detail_iteration = detail.epoch, detail.iteration
        snapshot.rows = {
            "weight": self._rows["weight"],
            "gradient": gradient_rows,
            "buffer": self._rows["buffer"],
            "optimizer": self._rows["optimizer"],
            "feature_map": _by_layer(self.layers, detail.by_layer),
        }
        snapshot.feature_maps = detail.feature_maps
        snapshot.intermediate_gradients = detail.intermediate_gradients
        snapshot.inputs = detail.inputs
        snapshot.outputs = detail.outputs
        snapshot.without_gradients = detail.without_gradients
        snapshot.cached, snapshot.peak_cached = self._counters.cached()
        snapshot.allocated, snapshot.peak_allocated = self._counters.allocated()
        snapshot.resident, snapshot.peak_resident = resident()
        snapshot.live = live
        snapshot.peak = detail.peak
        snapshot.device = "cuda:%d" % self._counters.devices[0] if self._counters.devices else "cpu"
        shared = self._tally.shared + tally.shared
        snapshot.shared = self._parts.tied + [(name, first) for _, name, _, first in shared if name != first]
        return snapshot

    def live(self):
        self._tracker.ledger.settle()
        self._refresh()
        live = self._live(gradients(self._torch, self._parts.parameters())[1])
        allocated = self._counters.allocated()[0]
        if allocated is not None:
            live["other"] = allocated - sum(live.values())
            live["allocated"] = allocated
        if not self._tracker.armed:
            live.update((kind, None) for kind in ("feature_map", "other") if kind in live)
        return live

    def _live(self, gradient_tally):
        """Kind → bytes on the model's GPUs, or on the CPU where it is on none."""
        places = self._counters.devices or (-1,)
        on = {**self._tally.on, **gradient_tally.on}
        kinds = ("weight", "gradient", "buffer", "optimizer")
        live = {kind: sum(on.get((kind, place), 0) for place in places) for kind in kinds}
        saved = self._tracker.ledger.saved_on_device
        live["feature_map"] = sum(saved.get(place, 0) for place in places)
        inputs = {}
        for tensor in self._tracker.inputs.given():
            for storage, size, place in quiet_storages(tensor):
                if place in places and storage not in self._tracker.owned:
                    inputs[storage] = size
        live["input"] = sum(inputs.values())
        return live

    def _enter(self):
        """A call of the model begins."""
        self._refresh()
        self._tracker.ledger.set_gradients(self._gradients_now())

    def _refresh(self):
        """Takes stock of what stays, if it is not what it was: weights may have moved, state been made."""
        signature, stamp = self._optimizers.signature(), self._parts.stamp()
        if signature is not None and stamp is not None and (signature, stamp) == (self._signature, self._stamp):
            return
        self._stamp = stamp
        parameters, buffers = self._parts.look()
        if self._tracker.armed:
            self._hook_layers()
        owned, devices = {}, set()
        for _, tensor in parameters + buffers:
            self._own(owned, tensor)
            if tensor.is_cuda:
                devices.add(tensor.get_device())
        self._counters.devices = tuple(sorted(devices))
        same = signature is not None and signature == self._signature and owned == self._tracker.owned
        if same and self._tally is not None:
            return
        self._signature = signature
        self._ids = {id(tensor): weakref.ref(tensor) for _, tensor in parameters}
        self._tracker.owned = owned
        self._rows, self._tally = holdings(self._torch, parameters, buffers, self._optimizers.all())
        places = self._counters.devices or (-1,)
        for kind in ("weight", "buffer", "optimizer"):
            size = sum(self._tally.on.get((kind, place), 0) for place in places)
            self._tracker.ledger.standing[kind] = size
        self._tally.forget()

    def _gradients_now(self):
        return gradient_storages(self._torch, self._parts.parameters())

    def _own(self, owned, tensor):
        owned.update((storage, size) for storage, size, _ in quiet_storages(tensor))

    def _is_ours(self, parameter):
        # What was freed may have lent its number to another model's.
        known = self._ids.get(id(parameter))
        return known is not None and known() is parameter

    def _follow_weight(self, layer, parameter):
        try:
            hook = Accumulated(self._tracker, layer)
            self._weights[id(parameter)] = parameter.register_post_accumulate_grad_hook(hook)
        except Exception:
            # Frozen, of no shape yet, or torch 2.0, which has no such hook: its gradient is seen when the
            # optimizer takes its step.
            pass

    def _before_step(self):
        # Asked for again only in a loop that lets them go before record_stats().
        if not self._tracker.armed and not (self._wanted and self._gradients_go):
            return
        try:
            self._stepped, tally = gradients(self._torch, self._parts.parameters())
            self._most_gradients = sum(self._stepped.values())
            if not self._tracker.armed:
                return
            ledger = self._tracker.ledger
            ledger.settle()
            self._counters.look()
            self._counters.position = ("", "optimizer step")
            ledger.set_gradients(tally.storages())
            ledger.note("optimizer step")
        except Exception:
            self._stepped = None

    def _after_step(self):
        if not self._tracker.armed:
            return
        try:
            self._counters.look()
            # The first step makes the optimizer's state.
            if self._optimizers.signature() != self._signature:
                self._refresh()
            self._tracker.ledger.note("optimizer step")
        except Exception:
            pass


def _by_layer(layers, saved):
    """Those of all layers, 0 where nothing is kept, and of what is none: compiled functions, layers that are gone since."""
    others = {layer: size for layer, size in saved.items() if size > 0}
    return {**{layer: saved.get(layer, 0) for layer in layers}, **others}
