//! A program that a user of KafkaJS can run alone: the steps of a trace, taken on the installed package.

use fencepost_checker::story::Story;
use serde_json::json;

use super::child::Target;
use super::compare::Difference;
use super::trace::Taken;

const SHARED: &str = include_str!("../../drivers/kafkajs/shared.js");
const LEVELS: [&str; 2] =
    [include_str!("../../drivers/kafkajs/level1.js"), include_str!("../../drivers/kafkajs/level2.js")];

/// How a program holds modules: `require` finds those that were defined before.
const DEFINE: &str = r"const modules = {}

function define(name, body) {
  const module = { exports: {} }
  const load = Object.assign(id => modules[id] || require(id), { resolve: require.resolve })
  body(module, module.exports, load)
  modules[name] = module.exports
}
";

/// What the program does after the part that drives the package.
const LAST_PART: &str = r#"
const path = require('node:path')

async function main() {
  const kafkajs = path.dirname(require.resolve('kafkajs/package.json'))
  const { version } = require('kafkajs/package.json')
  console.log(`kafkajs ${version}, node ${process.version}`)
  console.log(title)
  const seen = await create(kafkajs).run(steps.map(({ step }) => step))
  steps.forEach(({ step, contract }, number) => {
    if (seen[number] === undefined) return
    console.log(`\n${number}. ${JSON.stringify(step)}`)
    console.log(`   seen: ${JSON.stringify(seen[number])}`)
    if (contract !== null) console.log(`   the contract allows instead: ${contract}`)
  })
  console.log(`\nSo ${title}.`)
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
"#;

/// What a program shows.
pub struct Shown<'a> {
    /// The implementation.
    pub target: &'a Target,
    /// What it is about, for the name of its file: words with hyphens.
    pub about: &'a str,
    /// What it shows, in a sentence without a full stop.
    pub outcome: &'a str,
    /// The story.
    pub story: &'a Story,
    /// The steps.
    pub steps: &'a [Taken],
    /// The step in which the contract is left, and how.
    pub leaves: Option<(usize, &'a Difference)>,
}

/// What a program needs beside the package, as words for `npm install`.
pub fn other_packages(target: &Target) -> &'static str {
    if target.level == 2 { " @sinonjs/fake-timers@13.0.5" } else { "" }
}

/// The name of a program's file.
pub fn file_name(target: &Target, about: &str) -> String {
    format!("kafkajs-{}-level-{}-{about}.js", target.package, target.level)
}

/// The program.
pub fn program(shown: &Shown<'_>) -> String {
    let Shown { target, about, outcome, story, steps, leaves } = shown;
    let level = LEVELS[usize::from(target.level.clamp(1, 2)) - 1];
    let comment = |line: &str| format!("// {line}").trim_end().to_owned() + "\n";
    let step = |(number, taken): (usize, &Taken)| {
        let allowed = leaves.filter(|(step, _)| *step == number).map(|(_, difference)| &difference.allowed);
        format!("  {},\n", json!({"step": taken.json, "contract": allowed}))
    };
    format!(
        "// {outcome}.\n//\n// Run it alone:\n//   npm install kafkajs@{package}{others}\n//   node {file}\n//\n{story}\n\
         const title = {title}\nconst steps = [\n{steps}]\n\n\
         // What drives the package: two modules, as they are.\n{DEFINE}\n\
         define('./shared.js', (module, exports, require) => {{\n{SHARED}}})\n\n\
         define('./level.js', (module, exports, require) => {{\n{level}}})\n\n\
         const {{ create }} = modules['./level.js']\n{LAST_PART}",
        package = target.package,
        others = other_packages(target),
        file = file_name(target, about),
        story = story.to_text().lines().map(comment).collect::<String>(),
        title = json!(outcome),
        steps = steps.iter().enumerate().map(step).collect::<String>(),
    )
}
