"""What an installation and a package bring, and that it works: for people, shells and other projects."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ATTN = os.path.abspath(os.environ["ATTN"])
STATIC = os.environ.get("ATTN_STATIC_PROGRAM", "")
BUILD = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
EXAMPLE = os.path.join(ROOT, "data", "worked-example.json")
MEGABYTE = 1_000_000


def ran(*command, **more):
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=600, **more)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="attn-install-")
        cls.prefix = os.path.join(cls.folder, "prefix")
        ran("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def installed(self, *path):
        return os.path.join(self.prefix, *path)

    def test_the_program_runs_and_finds_its_problems(self):
        shown = ran(self.installed("bin", "attn"), self.installed("share", "attn", "data", "worked-example.json"))
        self.assertEqual(shown, ran(ATTN, EXAMPLE))

    def test_every_command_has_its_page_of_the_manual(self):
        folder = self.installed("share", "man", "man1")
        commands = [name[5:-2] for name in sorted(os.listdir(folder)) if name != "attn.1"]
        helped = ran(ATTN, "--help")
        for command in commands:
            self.assertIn(f"\n  {command} ", helped)
            with open(os.path.join(folder, f"attn-{command}.1"), encoding="utf-8") as page:
                self.assertEqual(page.read(), ran(ATTN, "man", command))
        for line in helped.split("See every number:")[1].split("About the program")[0].splitlines():
            if line.startswith("  ") and line[2] != " ":
                self.assertIn(line.split()[0], commands)

    def test_the_completions_stand_where_shells_look(self):
        for shell, path in (("bash", "bash-completion/completions/attn"), ("zsh", "zsh/site-functions/_attn"),
                            ("fish", "fish/vendor_completions.d/attn.fish")):
            with open(self.installed("share", path), encoding="utf-8") as file:
                self.assertEqual(file.read(), ran(ATTN, "completion", shell))

    def test_the_documents_are_there(self):
        for name in ("README.md", "LICENSE", "docs/commands.md", "docs/gallery/page.png"):
            self.assertTrue(os.path.exists(self.installed("share", "doc", "attn", name)), name)

    def test_another_project_finds_the_library(self):
        build = os.path.join(self.folder, "consumer")
        ran("cmake", "-S", os.path.join(ROOT, "tests", "install", "consumer"), "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}")
        ran("cmake", "--build", build)
        numbers = [float(line) for line in ran(os.path.join(build, "consumer"), EXAMPLE).split()]
        self.assertEqual(len(numbers), 9)
        for number, published in zip(numbers, (1.9366, 6.6831, 1.5951, 2.0, 7.964, 0.054, 1.9997, 7.7599, 0.3584)):
            self.assertAlmostEqual(number, published, places=4)


class Package(unittest.TestCase):
    @unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"), "no Debian tools here")
    def test_a_debian_package_holds_all_of_it_and_asks_for_what_the_program_needs(self):
        with tempfile.TemporaryDirectory() as folder:
            ran("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", folder, cwd=folder)
            [package] = [name for name in os.listdir(folder) if name.endswith(".deb")]
            self.assertRegex(package, r"^attn_\d+\.\d+\.\d+_\w+\.deb$")
            package = os.path.join(folder, package)
            self.assertIn("libc6", ran("dpkg-deb", "--field", package, "Depends"))
            held = ran("dpkg-deb", "--contents", package)
            for path in ("usr/bin/attn", "usr/share/man/man1/attn-run.1", "usr/include/attn/model/computation.h",
                         "usr/share/bash-completion/completions/attn", "usr/share/attn/data/worked-example.json"):
                self.assertIn(f"./{path}\n", held)
            self.assertNotRegex(held, r"\./(?!usr(/|\n))\S")
            unpacked = os.path.join(folder, "root")
            ran("dpkg-deb", "--extract", package, unpacked)
            self.assertEqual(ran(os.path.join(unpacked, "usr/bin/attn"), EXAMPLE), ran(ATTN, EXAMPLE))
            if os.geteuid() == 0:
                self.check_removal(package, os.path.join(folder, "system"))

    def check_removal(self, package, root):
        """Installs into a root of its own, and takes it away again."""
        for path in ("info", "updates"):
            os.makedirs(os.path.join(root, "var/lib/dpkg", path))
        for path in ("status", "available"):
            open(os.path.join(root, "var/lib/dpkg", path), "w", encoding="utf-8").close()
        ran("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "--install", package)
        self.assertTrue(os.path.exists(os.path.join(root, "usr/bin/attn")))
        ran("dpkg", f"--root={root}", "--force-depends", "--purge", "attn")
        left = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(root, "usr")) for name in names]
        self.assertEqual(left, [])


@unittest.skipUnless(STATIC and os.path.exists(STATIC), "no static program was built")
class Static(unittest.TestCase):
    def test_it_is_small_and_needs_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "attn")
            shutil.copy(STATIC, program)
            self.assertLessEqual(os.path.getsize(program), 9.2 * MEGABYTE)
            self.assertIn("not a dynamic executable", subprocess.run(["ldd", program], capture_output=True,
                                                                     encoding="utf-8", timeout=60).stderr)
            self.assertEqual(ran(program, EXAMPLE), ran(ATTN, EXAMPLE))

    @unittest.skipUnless(os.geteuid() == 0, "only root can look from a bare root")
    def test_it_runs_where_there_is_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(STATIC, os.path.join(folder, "attn"))
            shutil.copy(EXAMPLE, os.path.join(folder, "worked-example.json"))
            done = subprocess.run(["chroot", folder, "/attn", "run", "/worked-example.json"], capture_output=True,
                                  encoding="utf-8", timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, ran(ATTN, EXAMPLE))


if __name__ == "__main__":
    unittest.main()
