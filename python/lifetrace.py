# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traces of lifetrace as rows, by liblifetrace; see liblifetrace(3).

    import lifetrace

    with lifetrace.open("lifetrace.lt") as trace:
        for row in trace.rows("lifetime", columns=["cache", "bytes_alloc", "lifetime_ns"]):
            print(row.cache, row.bytes_alloc, row.lifetime_ns)

        columns = trace.rows("lifetime", columns=["cache", "lifetime_ns"]).columns()
        columns["lifetime_ns"].values        # numpy, int64 or uint64
        columns["lifetime_ns"].known         # numpy, bool
        columns["cache"].labels              # what the numbers in .values mean

        import pyarrow                       # or polars.from_arrow(), duckdb, pandas
        table = pyarrow.table(trace.rows("lifetime"))

A value that is unknown is None in a row. Addresses are secrets, and unknown without addresses=True. Times are
ns since the begin of the trace, or on its clock with clock=True. Only columns() needs numpy.
"""
import atexit
import collections
import ctypes
import os

_UINT, _INT, _REAL, _TEXT = range(4)
_NULLABLE, _SECRET, _CSV, _HEX, _VARIED = 1, 2, 4, 8, 16
_ADDRESSES, _CLOCK, _REQUESTS = 1, 2, 4
_ROWS_AT_ONCE = 4096
_ROWS_OF_ARRAY = 1 << 16


class _Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("code", ctypes.c_int), ("text", ctypes.c_char * 1012)]


class _OpenOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("n_more", ctypes.c_size_t), ("more", ctypes.POINTER(ctypes.c_char_p))]


class _About(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("begin_ns", ctypes.c_uint64), ("end_ns", ctypes.c_uint64),
                ("cut_ns", ctypes.c_uint64), ("file_size", ctypes.c_uint64), ("page_size", ctypes.c_uint64),
                ("recorder", ctypes.c_uint32), ("has_wall", ctypes.c_uint32)]


class _Class(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("channel", ctypes.c_char_p)] + [
        (name, ctypes.c_uint64) for name in ("seen", "written", "lost_full", "lost_nmi", "lost_nested", "lost_nobuf",
                                             "filtered", "overwritten")]


class _Column(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("meaning", ctypes.c_char_p),
                ("unit", ctypes.c_char_p), ("type", ctypes.c_int), ("flags", ctypes.c_uint)]


class _RowsOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("flags", ctypes.c_uint), ("columns", ctypes.c_char_p)]


class _Array(ctypes.Structure):
    _fields_ = [("column", ctypes.c_size_t), ("values", ctypes.c_void_p), ("known", ctypes.c_void_p)]


class _Loss(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [
        (name, ctypes.c_uint64) for name in ("records", "lost", "full", "nmi", "nested", "nobuf", "damaged", "missed",
                                             "filtered", "at_least")]


class _Stream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.c_void_p), ("get_next", ctypes.c_void_p), ("get_last_error", ctypes.c_void_p),
                ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


def _load():
    lib = ctypes.CDLL(os.environ.get("LIFETRACE_LIBRARY") or "liblifetrace.so.0")
    handle, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    texts = ctypes.POINTER(text)
    for name, result, arguments in (
            ("version", text, ()),
            ("open", handle, (text, ctypes.POINTER(_OpenOptions), ctypes.POINTER(_Error))),
            ("close", None, (handle,)),
            ("describe", None, (handle, ctypes.POINTER(_About))),
            ("wall", ctypes.c_uint64, (handle, ctypes.c_uint64)),
            ("info", text, (handle, text)),
            ("info_key", text, (handle, size)),
            ("class_at", ctypes.c_int, (handle, size, ctypes.POINTER(_Class))),
            ("unwatched", ctypes.c_int, (handle, size, texts, texts)),
            ("message", text, (handle, size)),
            ("kind", text, (size, texts)),
            ("column_at", ctypes.c_int, (text, size, ctypes.POINTER(_Column))),
            ("rows_open", handle, (handle, text, ctypes.POINTER(_RowsOptions), ctypes.POINTER(_Error))),
            ("rows_close", None, (handle,)),
            ("rows_columns", size, (handle,)),
            ("rows_column", ctypes.c_int, (handle, size, ctypes.POINTER(_Column))),
            ("rows_read", ctypes.c_int64, (handle, size, ctypes.POINTER(_Array), size, ctypes.POINTER(_Error))),
            ("rows_labels", size, (handle, size)),
            ("rows_label", text, (handle, size, ctypes.c_uint32, ctypes.POINTER(size))),
            ("rows_loss", None, (handle, ctypes.POINTER(_Loss))),
            ("rows_message", text, (handle, size)),
            ("rows_stream", ctypes.c_int, (handle, size, ctypes.POINTER(_Stream), ctypes.POINTER(_Error)))):
        function = getattr(lib, "lifetrace_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


_lib = _load()
__version__ = _lib.lifetrace_version().decode()


class Error(Exception):
    """What went wrong; .code is that of the library: 1 invalid, 2 open, 3 absent, 4 read."""

    def __init__(self, error):
        super().__init__(error.text.decode())
        self.code = error.code


def _zero_behind(text):
    """For C, which would take another text where there is a zero in it."""
    if b"\0" in text:
        raise ValueError("embedded null byte")
    return text


def _sized(kind):
    value = kind()
    value.size = ctypes.sizeof(kind)
    return value


def _plain(struct):
    return {name: getattr(struct, name) for name, _ in struct._fields_[1:]}


class ColumnInfo(collections.namedtuple("ColumnInfo", "name meaning unit type flags")):
    """A column: type is "uint", "int", "real" or "text"."""

    @property
    def nullable(self):
        return bool(self.flags & _NULLABLE)

    @property
    def secret(self):
        return bool(self.flags & _SECRET)

    @property
    def hex(self):
        """An address, which is written as 0x..."""
        return bool(self.flags & _HEX)


def _column_info(c):
    return ColumnInfo(c.name.decode(), c.meaning.decode(), c.unit.decode(), ("uint", "int", "real", "text")[c.type],
                      c.flags)


def kinds():
    """The kinds of rows: a dict of meanings."""
    meaning, result, i = ctypes.c_char_p(), {}, 0
    while True:
        name = _lib.lifetrace_kind(i, ctypes.byref(meaning))
        if name is None:
            return result
        result[name.decode()] = meaning.value.decode()
        i += 1


def columns_of(kind):
    """All columns that rows of a kind can have."""
    c, result = _sized(_Column), []
    while _lib.lifetrace_column_at(_zero_behind(kind.encode()), len(result), ctypes.byref(c)) > 0:
        result.append(_column_info(c))
    return result


class Trace:
    """A trace; open() makes it."""

    def __init__(self, *paths):
        error, options = _sized(_Error), _sized(_OpenOptions)
        names = [_zero_behind(os.fsencode(path)) for path in paths]
        options.n_more = len(names) - 1
        options.more = (ctypes.c_char_p * len(names[1:]))(*names[1:])
        self._handle = _lib.lifetrace_open(names[0], ctypes.byref(options), ctypes.byref(error))
        if not self._handle:
            raise Error(error)
        self.info, i = {}, 0
        while (key := _lib.lifetrace_info_key(self._handle, i)) is not None:
            self.info[key.decode()] = (_lib.lifetrace_info(self._handle, key) or b"").decode()
            i += 1
        about = _sized(_About)
        _lib.lifetrace_describe(self._handle, ctypes.byref(about))
        self.about = _plain(about)

    def close(self):
        """Rows that were opened from it stay."""
        if self._handle:
            _lib.lifetrace_close(self._handle)
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def _open(self):
        if not self._handle:
            raise ValueError("the trace is closed")
        return self._handle

    def wall(self, ns):
        """ns since 1970 of a time on the trace's clock; None: not known."""
        return _lib.lifetrace_wall(self._open(), ns) if self.about["has_wall"] else None

    def classes(self):
        """How many events of each class were seen, written, lost, by the counters of the trace."""
        c, result = _sized(_Class), []
        while _lib.lifetrace_class_at(self._open(), len(result), ctypes.byref(c)) > 0:
            counts = _plain(c)
            counts.update(name=c.name.decode(), channel=c.channel.decode())
            result.append(counts)
        return result

    def unwatched(self):
        """Events that were not watched: a dict of reasons."""
        event, why, result, i = ctypes.c_char_p(), ctypes.c_char_p(), {}, 0
        while _lib.lifetrace_unwatched(self._open(), i, ctypes.byref(event), ctypes.byref(why)) > 0:
            result[event.value.decode()] = why.value.decode()
            i += 1
        return result

    def messages(self):
        """Warnings that opening the trace gave."""
        return _messages(_lib.lifetrace_message, self._open())

    def rows(self, kind, columns=None, addresses=False, clock=False, requests=False):
        """Rows of a kind, from the begin of the trace; columns: names, None: those of --csv."""
        return Rows(self, kind, columns, (_ADDRESSES if addresses else 0) | (_CLOCK if clock else 0) |
                    (_REQUESTS if requests else 0))

    def lifetimes(self, **options):
        return self.rows("lifetime", **options)

    def tasks(self, **options):
        return self.rows("task", **options)

    def syscalls(self, **options):
        return self.rows("syscall", **options)

    def calls(self, **options):
        return self.rows("call", **options)


def _messages(function, handle):
    result = []
    while True:
        text = function(handle, len(result))
        if text is None:
            return result
        result.append(text.decode())


class Column:
    """The values of a column: .values and .known are numpy arrays. Of texts .values are numbers, of which
    .labels has the texts; .texts() are the texts themselves, None where unknown."""

    def __init__(self, info, values, known, labels):
        self.info, self.values, self.known, self.labels = info, values, known, labels

    def __len__(self):
        return len(self.values)

    def texts(self):
        return [self.labels[v] if k else None for v, k in zip(self.values.tolist(), self.known.tolist())]


class Rows:
    """Rows, which are taken once: by iteration, each a named tuple; by columns(); or by Arrow."""

    def __init__(self, trace, kind, columns, flags):
        error, options = _sized(_Error), _sized(_RowsOptions)
        options.flags = flags
        if columns is not None:
            options.columns = _zero_behind((columns if isinstance(columns, str) else ",".join(columns)).encode())
        self._handle = _lib.lifetrace_rows_open(trace._open(), _zero_behind(kind.encode()), ctypes.byref(options),
                                                ctypes.byref(error))
        if not self._handle:
            raise Error(error)
        self.kind, self.info, c = kind, [], _sized(_Column)
        for i in range(_lib.lifetrace_rows_columns(self._handle)):
            _lib.lifetrace_rows_column(self._handle, i, ctypes.byref(c))
            self.info.append(_column_info(c))
        self.names = [c.name for c in self.info]
        self.Row = collections.namedtuple(kind.capitalize(), self.names)
        self._labels = [[] for _ in self.info]

    def close(self):
        if self._handle:
            _lib.lifetrace_rows_close(self._handle)
        self._handle = None

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def _open(self):
        if not self._handle:
            raise ValueError("the rows were closed, or given to Arrow")
        return self._handle

    def loss(self):
        """What the trace lacks, when all rows were taken."""
        loss = _sized(_Loss)
        _lib.lifetrace_rows_loss(self._open(), ctypes.byref(loss))
        return _plain(loss)

    def messages(self):
        """Warnings so far."""
        return _messages(_lib.lifetrace_rows_message, self._open())

    def _texts(self, i):
        """The labels of a column up to now."""
        labels, length = self._labels[i], ctypes.c_size_t()
        if self.info[i].flags & _VARIED:
            labels = self._labels[i] = []
        for label in range(len(labels), _lib.lifetrace_rows_labels(self._handle, i)):
            labels.append(_lib.lifetrace_rows_label(self._handle, i, label, ctypes.byref(length)).decode())
        return labels

    def _read(self, n, arrays):
        error = _sized(_Error)
        got = _lib.lifetrace_rows_read(self._open(), n, arrays, len(arrays), ctypes.byref(error))
        if got < 0:
            raise Error(error)
        return got

    def __iter__(self):
        n = _ROWS_AT_ONCE
        types = {"uint": ctypes.c_uint64, "int": ctypes.c_int64, "real": ctypes.c_double, "text": ctypes.c_uint32}
        values = [(types[c.type] * n)() for c in self.info]
        known = [(ctypes.c_uint8 * n)() for _ in self.info]
        arrays = (_Array * len(values))(*[(i, ctypes.addressof(v), ctypes.addressof(k))
                                          for i, (v, k) in enumerate(zip(values, known))])
        while True:
            got = self._read(n, arrays)
            if not got:
                return
            columns = []
            for i, c in enumerate(self.info):
                column = values[i][:got]
                if c.type == "text":
                    labels = self._texts(i)
                    column = [labels[v] for v in column]
                if c.nullable and 0 in bytes(known[i])[:got]:
                    column = [v if k else None for v, k in zip(column, known[i])]
                columns.append(column)
            yield from map(self.Row._make, zip(*columns))

    def dicts(self):
        for row in self:
            yield row._asdict()

    def _read_into(self, values, known, at, n):
        """Reads up to n rows to the place at of numpy's arrays."""
        return self._read(n, (_Array * len(values))(*[
            (i, v.ctypes.data + at * v.itemsize, k.ctypes.data + at)
            for i, (v, k) in enumerate(zip(values, known))]))

    def _new_arrays(self, n):
        import numpy

        types = {"uint": numpy.uint64, "int": numpy.int64, "real": numpy.float64, "text": numpy.uint32}
        return [numpy.empty(n, types[c.type]) for c in self.info], [numpy.empty(n, numpy.bool_) for _ in self.info]

    def arrays(self, n=_ROWS_OF_ARRAY):
        """Up to n rows at a time: a dict of Column. Labels of a column are the same list in all."""
        while True:
            values, known = self._new_arrays(n)
            got = self._read_into(values, known, 0, n)
            if not got:
                return
            yield {c.name: Column(c, values[i][:got], known[i][:got], self._texts(i) if c.type == "text" else None)
                   for i, c in enumerate(self.info)}

    def columns(self):
        """All rows: a dict of Column."""
        values, known = self._new_arrays(0)
        labels = [[] for _ in self.info]
        n = 0
        while True:
            # They grow where they are: nothing is copied but tables of pages.
            if len(known[0]) - n < _ROWS_OF_ARRAY:
                for array in values + known:
                    array.resize(n + max(_ROWS_OF_ARRAY, n // 4), refcheck=False)
            got = self._read_into(values, known, n, _ROWS_OF_ARRAY)
            # The numbers of texts that hardly ever occur twice begin again with each read.
            for i, c in enumerate(self.info):
                if c.type == "text" and c.flags & _VARIED:
                    values[i][n:n + got] += len(labels[i])
                    labels[i] += self._texts(i) if got else []
            n += got
            if not got:
                break
        for array in values + known:
            array.resize(n, refcheck=False)
        return {c.name: Column(c, values[i], known[i], None if c.type != "text" else labels[i]
                               if c.flags & _VARIED else self._texts(i)) for i, c in enumerate(self.info)}

    def __arrow_c_stream__(self, requested_schema=None):
        """The Arrow PyCapsule interface: pyarrow.table(rows), polars.DataFrame(rows), duckdb."""
        stream, error = _Stream(), _sized(_Error)
        handle, self._handle = self._open(), None
        if _lib.lifetrace_rows_stream(handle, 0, ctypes.byref(stream), ctypes.byref(error)):
            raise Error(error)
        address = ctypes.addressof(stream)
        capsule = _capsule_new(address, _STREAM_NAME, _release_stream)
        _streams[address] = stream, id(capsule)
        return capsule


_STREAM_NAME = b"arrow_array_stream"
_streams = {}       # those of which a capsule is alive, by their addresses, each with that of the capsule
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


# The capsule is being freed: it is no object that Python may count references of.
@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _release_stream(capsule):
    stream, _ = _streams.pop(_capsule_pointer(capsule, _STREAM_NAME))
    if stream.release:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(stream.release)(ctypes.addressof(stream))


_capsule_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, type(_release_stream))(
    ("PyCapsule_New", ctypes.pythonapi))
_capsule_set_destructor = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
    ("PyCapsule_SetDestructor", ctypes.pythonapi))


@atexit.register
def _leave_streams():
    """A capsule that is alive at the end is freed when no function of this module can be called any more."""
    for _, capsule in _streams.values():
        _capsule_set_destructor(capsule, None)


def open(*paths):
    """A trace, of a file, a directory with the parts of a recording, or several files of one."""
    return Trace(*paths)
