"""Compiles what only a build with -DATTN_CUDA=ON has: kernels and what starts them.

For one architecture (and Hopper's own kernels for theirs) and hardly optimised, which
takes a minute; the build folder is kept, so that later only what changed is compiled.
What has mbarriers is compiled once more with ATTN_CUDA_TRAP.

Then looks into what nvcc made of the operations of traces: a product and a sum that are
fused into one operation have other bits than the reference.
"""

import argparse
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

SKIPPED = 77
USUAL_PLACE = "/usr/local/cuda/bin/nvcc"
# The other one calls CUDA's pow, sin and cos, which are made of fused operations.
WITHOUT_FUSED = "cells.cu"


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    if done.returncode != 0:
        print(f"failed: {' '.join(words)}\n{done.stdout}")
        sys.exit(1)
    return done.stdout


def without_outputs(command):
    words = [word for word in shlex.split(command) if word not in ("-c", "-MD")]
    for option in ("-o", "-MT", "-MF"):
        if option in words:
            at = words.index(option)
            del words[at:at + 2]
    return words


def intermediate_code(command):
    """What a command of the build compiles, in NVIDIA's intermediate language."""
    words = [word for word in without_outputs(command) if not re.match(r"-gencode|arch=", word)]
    return run(*words, "-arch=compute_80", "-ptx", "-o", "-")


def commands_of(build):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        return {os.path.basename(entry["file"]): entry["command"] for entry in json.load(file)}


def complaints_of_waits(commands):
    # What makes of a kernel another one: registers that do not change hands, products one by one.
    said = run(*without_outputs(commands["hopper.cu"]), "-DATTN_CUDA_TRAP", "-c", "-o", os.devnull)
    if "Performance Loss" in said:
        yield f"hopper.cu with ATTN_CUDA_TRAP: {said}"


def complaints_of_fused(commands):
    code = intermediate_code(commands[WITHOUT_FUSED])
    rounded = re.findall(r"\b(?:mul|add|sub)\.rn\.f(?:32|64)\b", code)
    loose = re.findall(r"\b(?:fma\.\S+|(?:mul|add|sub)\.f(?:32|64)\b)", code)
    if loose or not rounded:
        yield (f"{WITHOUT_FUSED}: {len(rounded)} operations are rounded one by one, {len(loose)} may be fused: "
               f"{loose[:3]}")


def rungs_of(source):
    """The kernels of the ladder."""
    files = glob.glob(os.path.join(source, "src", "backend", "cuda", "fused", "**", "*.cu"), recursive=True)
    return sorted(os.path.basename(file)[:-len(".cu")] for file in files)


def compiled(nvcc, source, build, left_out):
    """What the compilers say."""
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DATTN_TESTS=OFF",
        "-DATTN_CUDA=ON", "-DATTN_WERROR=ON", "-DATTN_CUDA_ARCHITECTURES=80", f"-DCMAKE_CUDA_COMPILER={nvcc}",
        "-DCMAKE_CUDA_FLAGS=-Xptxas -O1", "-DCMAKE_CXX_FLAGS=-O0", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        f"-DATTN_CUDA_WITHOUT={left_out}")
    return run("cmake", "--build", build, "--parallel", "1", "--target", "attn_cuda")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="the root of the project")
    parser.add_argument("build", help="the folder to build in")
    options = parser.parse_args()

    nvcc = os.environ.get("CUDACXX") or shutil.which("nvcc") or (USUAL_PLACE if os.path.exists(USUAL_PLACE) else None)
    if not nvcc:
        print("skipped: there is no nvcc here")
        return SKIPPED
    # Without its rungs it is whole, too: where one does not compile, tests/gpu/run leaves it out.
    output = compiled(nvcc, options.source, options.build, ";".join(rungs_of(options.source)))
    output += compiled(nvcc, options.source, options.build, "")
    if "warning" in output or "Performance Loss" in output:
        print(output)
        return 1
    commands = commands_of(options.build)
    complaints = [*complaints_of_fused(commands), *complaints_of_waits(commands)]
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
