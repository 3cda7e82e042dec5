//! A program that a user of KafkaJS can run alone: the steps of a trace, taken on the installed package.

use serde_json::{Value, json};

use super::child::Target;
use super::evidence::Evidence;

const LEVELS: [&str; 2] = [
    include_str!("../../drivers/kafkajs/level1.js"),
    include_str!("../../drivers/kafkajs/level2.js"),
];

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
  console.log(`\n${outcome}`)
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
"#;

/// The name of the file for a clause.
pub fn file_name(target: &Target, evidence: &Evidence) -> String {
    format!("kafkajs-{}-level-{}-{}.js", target.package, target.level, evidence.clause)
}

/// The program.
pub fn program(target: &Target, evidence: &Evidence) -> String {
    let level = LEVELS[usize::from(target.level.clamp(1, 2)) - 1];
    let others = if target.level == 2 { " @sinonjs/fake-timers@13.0.5" } else { "" };
    let story: String = evidence.story.to_text().lines().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect();
    let differs = evidence.leaves.as_ref();
    let step = |(number, taken): (usize, &super::trace::Taken)| {
        let allowed = differs.filter(|(step, _)| *step == number).map(|(_, difference)| difference.allowed.clone());
        json!({"step": taken.json, "contract": allowed})
    };
    let steps: Vec<Value> = evidence.trace.steps.iter().enumerate().map(step).collect();
    let steps = steps.iter().map(|step| format!("  {step},\n")).collect::<String>();
    format!(
        "// {clause}: {reason}.\n//\n// Run it alone:\n//   npm install kafkajs@{package}{others}\n//   node {file}\n//\n{story}\n\
         const title = {title}\nconst outcome = {outcome}\nconst steps = [\n{steps}]\n\n\
         // What drives the package.\n{level}\nconst create = exports.create\n{LAST_PART}",
        clause = evidence.clause,
        reason = evidence.reason,
        package = target.package,
        file = file_name(target, evidence),
        title = json!(format!("{}: {}", evidence.clause, evidence.reason)),
        outcome = json!(format!("So {}.", evidence.reason)),
    )
}
