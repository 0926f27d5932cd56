"""The lines of numpy that a notebook has for a step give what the step gives, whatever the operation.

    step_code_test.py PROGRAM     PROGRAM is attn_drawn_code
"""

import json
import subprocess
import sys
import unittest
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy")
    sys.exit(77)

PROGRAM = sys.argv.pop(1)
EACH = 40


def tensor(told):
    return np.array([float(number) for number in told["data"]]).reshape(told["shape"])


class StepCode(unittest.TestCase):
    def test_numpy_gives_what_the_reference_gives(self):
        drawn = subprocess.run([PROGRAM, str(EACH)], capture_output=True, check=True, encoding="utf-8").stdout
        kinds = set()
        for line in drawn.splitlines():
            call = json.loads(line)
            names = {name: tensor(told) for name, told in call["given"].items()}
            expected = tensor(call["expected"])
            with self.subTest(call["code"], shapes={name: array.shape for name, array in names.items()}):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", RuntimeWarning)  # what overflows there overflows here
                    exec(call["code"], names)
                self.assertEqual(names["made"].shape, expected.shape)
                size = np.abs(expected[np.isfinite(expected)]).max(initial=1)
                np.testing.assert_allclose(names["made"], expected, rtol=1e-9, atol=1e-12 * size)
            kinds.add(call["kind"])
        self.assertGreaterEqual(len(kinds), 18)


if __name__ == "__main__":
    unittest.main()
