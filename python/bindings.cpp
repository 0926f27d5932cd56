// The module attn._core, which python/attn dresses for people. It hands on what given.h and
// computed.h do; the numbers of a step are seen where they stand in its trace, by the buffer
// protocol, so that any version of numpy will do.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "base/rounding.h"
#include "computed.h"
#include "given.h"
#include "reading/trace.h"

namespace py = pybind11;

namespace attn::python {
namespace {

// --- errors -----------------------------------------------------------------

// Other people's text, whatever bytes it has.
py::object text_of(const std::string& text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

py::object text_or_none(const std::string& text) { return text.empty() ? py::none() : text_of(text); }

py::object number_or_none(std::size_t number) { return number == 0 ? py::object(py::none()) : py::int_(number); }

// An attn.ProblemError.
void raise(const Faulty& faulty) {
  const Complaint& complaint = faulty.complaint();
  py::list faults;
  for (const PlacedFault& one : complaint.faults) {
    faults.append(py::make_tuple(text_or_none(complaint.file), number_or_none(one.line), number_or_none(one.column),
                                 text_of(one.fault.where), text_of(one.fault.message), text_of(one.fault.help.text())));
  }
  const py::object error = py::module_::import("attn._errors")
                               .attr("problem_error")(text_of(faulty.what()), std::move(faults), complaint.unkept);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

void translate(std::exception_ptr thrown) {
  const auto set = [](PyObject* type, const char* what) { PyErr_SetObject(type, text_of(what).ptr()); };
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Faulty& faulty) {
    raise(faulty);
  } catch (const NoSuchStep& error) {
    set(PyExc_KeyError, error.what());
  } catch (const NoRoom& error) {
    set(PyExc_MemoryError, error.what());
  } catch (const BackendError& error) {
    set(PyExc_RuntimeError, sentence(error.fault()).c_str());
  }
}

// --- numbers ----------------------------------------------------------------

// REQUIRES: numbers of 64 bits, row by row.
FileTensor array_of(std::string name, std::string dtype, const py::buffer& buffer) {
  const py::buffer_info info = buffer.request();
  FileTensor array;
  array.name = std::move(name);
  array.dtype = std::move(dtype);
  for (const py::ssize_t size : info.shape) array.shape.push_back(static_cast<std::size_t>(size));
  const auto* first = static_cast<const double*>(info.ptr);
  array.values.assign(first, first + info.size);
  return array;
}

// A step, and the trace that keeps its numbers.
struct HeldStep {
  std::shared_ptr<const Computed> of;
  const Step* step;
  std::shared_ptr<const Tensor<double>> numbers;
};

// As in every trace that is written there is one zero and one NaN.
bool is_spelled_once(double number) { return !std::isnan(number) && (number != 0 || !std::signbit(number)); }

double spelled_once(double number) {
  return std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number == 0 ? 0 : number;
}

// The numbers where they stand in the trace; a copy where some have to be spelled otherwise.
std::shared_ptr<const Tensor<double>> numbers_of(const std::shared_ptr<const Computed>& computed, const Step& step) {
  if (std::ranges::all_of(step.result.data(), is_spelled_once)) return {computed, &step.result};
  Tensor<double> copy = step.result;
  std::ranges::transform(copy.data(), copy.data().begin(), spelled_once);
  return std::make_shared<const Tensor<double>>(std::move(copy));
}

py::buffer_info buffer_of(const HeldStep& held) {
  const Shape& shape = held.numbers->shape();
  std::vector<py::ssize_t> sizes, strides;
  for (const Dim& dim : shape.dims()) {
    sizes.push_back(static_cast<py::ssize_t>(dim.size));
    strides.push_back(static_cast<py::ssize_t>(shape.stride(dim.axis) * sizeof(double)));
  }
  auto* first = const_cast<double*>(held.numbers->data().data());  // the buffer is read-only
  return {first,
          sizeof(double),
          py::format_descriptor<double>::format(),
          static_cast<py::ssize_t>(sizes.size()),
          std::move(sizes),
          std::move(strides),
          true};
}

std::vector<HeldStep> steps_of(const std::shared_ptr<const Computed>& computed) {
  std::vector<HeldStep> steps;
  for (const Step& step : computed->trace.steps) steps.push_back({computed, &step, numbers_of(computed, step)});
  return steps;
}

// --- work -------------------------------------------------------------------

Computing computing_on(const std::string& backend, std::size_t threads, std::size_t max_bytes) {
  return {backend, threads, max_bytes, [] {
            const py::gil_scoped_acquire acquired;
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();  // Ctrl-C
          }};
}

// Lets other threads of Python go on meanwhile.
template <class Work>
auto beside_python(Work work) {
  const py::gil_scoped_release released;
  return work();
}

py::list notes_of(const Computed& computed) {
  py::list notes;
  for (const Note& note : computed.trace.notes)
    notes.append(py::make_tuple(note.step, note.index, note.kind, note.message));
  return notes;
}

std::optional<std::string> rounding_of(const Computed& computed) {
  const auto& rounding = computed.trace.arithmetic.hand_rounding;
  return rounding ? std::optional(to_string(*rounding)) : std::nullopt;
}

// Text, or the bytes of a format that is none.
py::object rendered(const Computed& computed, const std::string& format, const std::optional<int>& level,
                    const std::vector<std::string>& only, std::optional<int> precision, const Looks& looks) {
  if (!is_for_people(format)) {
    const Exported made = exported(computed.trace, format);
    return made.is_text ? text_of(made.bytes) : py::bytes(made.bytes);
  }
  ExplainOptions options;
  if (level) options.level = Level(*level);
  for (const std::string& name : only) options.only.push_back(computed.id_of(name));
  options.precision = precision;
  options.full = looks.full;
  options.behind = format == "html";
  if (options.behind && only.empty() && options.level != Level::result) options.geometry = GeometryWanted::where_small;
  return text_of(told_in(explain(computed.trace, options), format, looks));
}

void define_data(py::module_& module) {
  py::class_<FileTensor>(module, "Array")
      .def(py::init(&array_of), py::arg("name"), py::arg("dtype"), py::arg("numbers"));

  py::class_<Looks>(module, "Looks")
      .def(py::init<std::size_t, bool, bool>(), py::arg("width"), py::arg("ascii"), py::arg("full"));

  py::class_<HeldStep>(module, "Step", py::buffer_protocol())
      .def_buffer(&buffer_of)
      .def_property_readonly("id", [](const HeldStep& held) { return held.step->heading.id; })
      .def_property_readonly("symbol", [](const HeldStep& held) { return held.step->heading.symbol.text(); })
      .def_property_readonly("title", [](const HeldStep& held) { return held.step->heading.title; })
      .def_property_readonly("formula", [](const HeldStep& held) { return held.step->heading.formula.text(); })
      .def_property_readonly("axes", [](const HeldStep& held) { return held.step->result.shape().axes(); });

  py::class_<Told>(module, "Told")
      .def_readonly("json", &Told::json)
      .def("written", [](const Told& told, const std::string& format, const Looks& looks) {
        return told_in(told.document, format, looks);
      });

  py::class_<GivenProblem, std::shared_ptr<GivenProblem>>(module, "Problem")
      .def_property_readonly(
          "rounds_by_hand", [](const GivenProblem& self) { return self.problem.arithmetic.hand_rounding.has_value(); });

  py::class_<Computed, std::shared_ptr<Computed>>(module, "Trace")
      .def_property_readonly("title", [](const Computed& self) { return text_of(self.trace.title); })
      .def_property_readonly("statement", [](const Computed& self) { return self.trace.statement; })
      .def_property_readonly("dtype", [](const Computed& self) { return name(self.trace.arithmetic.dtype); })
      .def_property_readonly("hand_rounding", &rounding_of)
      .def_property_readonly("backend", [](const Computed& self) { return self.trace.backend; })
      .def_property_readonly("result", [](const Computed& self) { return self.trace.result; })
      .def_property_readonly("batched", [](const Computed& self) { return self.trace.batched; })
      .def_property_readonly("query_labels", [](const Computed& self) { return self.trace.labels.query; })
      .def_property_readonly("key_labels", [](const Computed& self) { return self.trace.labels.key; })
      .def_property_readonly("notes", &notes_of)
      .def_property_readonly("steps", [](const std::shared_ptr<Computed>& self) { return steps_of(self); })
      .def("id_of", &Computed::id_of)
      .def("holds", &Computed::holds)
      .def("rendered", &rendered);
}

void define_work(py::module_& module) {
  module.def("read", [](const py::bytes& text, std::string name, std::string file, std::string folder,
                        const std::vector<FileTensor>& arrays, std::optional<std::string> dtype,
                        std::optional<std::string> rounding, std::size_t max_bytes) {
    HowToRead how{std::move(name),  std::move(file),     std::move(folder), arrays,
                  std::move(dtype), std::move(rounding), max_bytes};
    const std::string written = text;
    return std::const_pointer_cast<GivenProblem>(beside_python([&] { return read_given(written, std::move(how)); }));
  });

  module.def("compute", [](const std::shared_ptr<GivenProblem>& given, const std::string& backend, std::size_t threads,
                           std::size_t max_bytes, const std::vector<std::string>& kept, bool whole) {
    const Computing computing = computing_on(backend, threads, max_bytes);
    return std::const_pointer_cast<Computed>(beside_python([&] { return computed(given, computing, kept, whole); }));
  });

  module.def("why", [](const Computed& computed, const std::string& question, std::optional<std::size_t> depth,
                       std::optional<std::size_t> top, std::optional<int> precision, const std::string& format,
                       const Looks& looks, std::size_t max_bytes) {
    const WhyOptions options{.depth = depth, .precision = precision, .full = looks.full, .top = top};
    return beside_python([&] { return told_in(reason(computed, question, options, max_bytes), format, looks); });
  });

  module.def("check", [](const GivenProblem& given, const py::bytes& text, const std::string& file, bool is_file,
                         const std::string& step, const std::string& reveal, bool full, const std::string& backend,
                         std::size_t threads, std::size_t max_bytes) {
    const HandedAnswers answers{text, file, is_file, step};
    const Computing computing = computing_on(backend, threads, max_bytes);
    return beside_python([&] { return marked(given, computing, answers, reveal, full); });
  });

  const auto compare = [](const Computed& ours, const Other& theirs, std::optional<double> relative,
                          std::optional<double> absolute, const std::vector<std::string>& only, std::size_t max_bytes) {
    return beside_python([&] { return difference(ours, theirs, relative, absolute, only, max_bytes); });
  };
  module.def("diff_arrays",
             [compare](const Computed& ours, std::vector<FileTensor> arrays, std::optional<double> rtol,
                       std::optional<double> atol, const std::vector<std::string>& only, std::size_t max_bytes) {
               return compare(ours, std::move(arrays), rtol, atol, only, max_bytes);
             });
  module.def("diff_tensors",
             [compare](const Computed& ours, std::string path, std::optional<double> rtol, std::optional<double> atol,
                       const std::vector<std::string>& only, std::size_t max_bytes) {
               return compare(ours, TensorPath{std::move(path)}, rtol, atol, only, max_bytes);
             });
  module.def("diff_stored",
             [compare](const Computed& ours, std::string path, const py::bytes& text, std::optional<double> rtol,
                       std::optional<double> atol, const std::vector<std::string>& only, std::size_t max_bytes) {
               return compare(ours, TraceText{std::move(path), text}, rtol, atol, only, max_bytes);
             });
  module.def("diff_traces",
             [compare](const Computed& ours, const std::shared_ptr<Computed>& theirs, std::optional<double> rtol,
                       std::optional<double> atol, const std::vector<std::string>& only, std::size_t max_bytes) {
               return compare(ours, std::shared_ptr<const Computed>(theirs), rtol, atol, only, max_bytes);
             });

  module.def("is_stored_trace", [](const py::bytes& text) { return is_stored_trace(std::string(text)); });
}

}  // namespace
}  // namespace attn::python

PYBIND11_MODULE(_core, module) {
  module.doc() = "What the package attn is a dress for; nobody else should rely on it.";
  module.attr("version") = ATTN_VERSION;
  pybind11::register_exception_translator(&attn::python::translate);
  attn::python::define_data(module);
  attn::python::define_work(module);
}
