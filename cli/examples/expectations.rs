//! Prints, for scenario files, what every built-in contract answers, as the `[expect.CONTRACT]` tables to paste into them.
//!
//! `cargo run --release -p fencepost --example expectations -- spec/scenarios/*.toml`

use std::process::ExitCode;

use fencepost::ask::answer::{Answer, AskOptions, ask};
use fencepost::exploring::{Budget, EngineName};
use fencepost::select;
use fencepost_checker::engine::{Progress, Quiet};
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::scenario::{Scenario, parse_scenario};

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in std::env::args().skip(1) {
        println!("# {file}");
        let printed = select::read_file(&file)
            .and_then(|text| parse_scenario(&file, &text))
            .and_then(|scenario| print_expectations(&scenario));
        if let Err(problem) = printed {
            eprintln!("{problem}");
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn print_expectations(scenario: &Scenario) -> Result<(), Problem> {
    let quiet = |_: &str, _: &str| Box::new(Quiet) as Box<dyn Progress>;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let options = AskOptions { engine: EngineName::Compiled, threads, budget: &Budget::default(), progress: &quiet };
    for contract in select::contracts(&[], "expectations")? {
        let result = ask(scenario, &contract, &options);
        println!("\n[expect.{}]", contract.name);
        match &result.answer {
            Answer::NotApplicable(reason) => println!("# not applicable: {reason}"),
            Answer::Impossible(impossible) => println!("possible = false # {}", impossible.obstacle),
            Answer::Possible(possible) => {
                println!("possible = true");
                let clauses: Vec<String> = possible.broken.iter().map(|clause| format!("\"{clause}\"")).collect();
                if !clauses.is_empty() {
                    println!("breaks = [{}]", clauses.join(", "));
                }
                for (step, answers) in &possible.answers {
                    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
                    println!("# {step}: {}", answers.join(" / "));
                }
            }
            Answer::Unknown => println!("# not known: stopped"),
        }
        eprintln!("{}  {}: {} states, {:.1} s", scenario.name, contract.name, result.states, result.seconds);
    }
    println!();
    Ok(())
}
