//! What is to be checked, family by family; every problem with the input comes before anything is explored.

use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::family::{Family, Iggy};
use fencepost_spec::kafkajs::KafkaJs;

use crate::exploring::EngineName;
use crate::grow::{Growth, grow};
use crate::margins::{Measured, margins};
use crate::resume::{NotKept, Resume};
use crate::run::{ContractResult, RunOptions, run_contract};
use crate::select::{self, Chosen, NameKind, among, remove_fences};

use super::stories::{self, StoryName, StoryRequest};
use super::{CheckArguments, Part, Rendering, Report, Tally};

/// What is wanted of every family that knows it.
struct Wanted {
    /// All, if none is named.
    views: Vec<&'static str>,
    stories: Vec<StoryName>,
    /// Fences to remove.
    fences: Vec<&'static str>,
    margins: bool,
}

/// The plans of all families.
pub(super) struct Plans {
    iggy: Plan<Iggy>,
    kafkajs: Plan<KafkaJs>,
    /// The fences that are removed, as they were named.
    pub without: Vec<&'static str>,
}

/// What is to be checked of one family.
struct Plan<F: Family> {
    contracts: Vec<Contract<F>>,
    /// Whether the contracts are not explored, because the family has none of the wanted views.
    is_left_out: bool,
    /// All, if none is named.
    views: Vec<&'static str>,
    removed: Vec<F::Fence>,
    remarks: Vec<String>,
    stories: Vec<StoryRequest<F>>,
    margins: bool,
}

impl Plans {
    /// Reads the arguments.
    pub(super) fn of(arguments: &CheckArguments) -> Result<Self, Problem> {
        if arguments.symmetry && arguments.exploring.engine != EngineName::Compiled {
            let message = format!("the engine `{}` explores every state", arguments.exploring.engine.word());
            return Err(Problem::new(message).with_help("leave out `--symmetry`, or take `--engine compiled`"));
        }
        if arguments.grow.is_some() && arguments.exploring.engine == EngineName::Timely {
            let message = "`--grow` goes by how long each view took, on which several processes do not agree";
            return Err(Problem::new(message).with_help("leave out `--grow`, or take `--engine compiled`"));
        }
        let chosen = select::chosen(&arguments.contracts)?;
        let wanted = Wanted::of(arguments, &chosen)?;
        let (iggy, kafkajs) = (Plan::of(chosen.iggy, &wanted)?, Plan::of(chosen.kafkajs, &wanted)?);
        Ok(Self { iggy, kafkajs, without: wanted.fences })
    }

    /// Explores everything; the parts of the report about families that have contracts in it.
    ///
    /// # Errors
    /// That explorations cannot be kept.
    pub(super) fn parts<R: Rendering>(
        self,
        options: &RunOptions<'_>,
        resume: Option<&Resume>,
    ) -> Result<Vec<Part<R>>, NotKept> {
        let parts = [self.iggy.part(options, resume)?, self.kafkajs.part(options, resume)?];
        Ok(parts.into_iter().flatten().collect())
    }

    /// Raises the bounds of all contracts.
    pub(super) fn grow(self, options: &RunOptions<'_>) -> Vec<Growth> {
        // The time is shared out, else the first family would take all of it.
        let (iggy, all) = (self.iggy.contracts.len(), self.iggy.contracts.len() + self.kafkajs.contracts.len());
        let mut growths = self.iggy.grow(&RunOptions { budget: &options.budget.part(iggy, all), ..*options });
        growths.extend(self.kafkajs.grow(options));
        growths
    }
}

impl Wanted {
    fn of(arguments: &CheckArguments, chosen: &Chosen) -> Result<Self, Problem> {
        let mut families = chosen.names();
        let named = |kind, names: &[String], families: &[_]| {
            names.iter().map(|name| among(kind, name, families)).collect::<Result<Vec<_>, _>>()
        };
        let views = named(NameKind::View, &arguments.views, &families)?;
        families.retain(|names| views.is_empty() || views.iter().any(|view| names.has(NameKind::View, view)));
        let story = |text: &String| stories::name(text, &families, &views);
        let stories = arguments.stories.iter().map(story).collect::<Result<Vec<_>, _>>()?;
        let fences = named(NameKind::Fence, &arguments.without, &families)?;
        Ok(Self { views, stories, fences, margins: arguments.margins })
    }
}

impl<F: Measured> Plan<F> {
    /// What a family is to do.
    fn of(mut contracts: Vec<Contract<F>>, wanted: &Wanted) -> Result<Self, Problem> {
        let views: Vec<&str> = wanted.views.iter().copied().filter(|view| F::has_view(view)).collect();
        let is_left_out = views.is_empty() && !wanted.views.is_empty();
        let is_explored = !contracts.is_empty() && !is_left_out;
        let removed = wanted.fences.iter().filter_map(|fence| fence.parse().ok().filter(|_| is_explored));
        let removed: Vec<F::Fence> = removed.collect();
        let remarks = remove_fences(&mut contracts, &removed)?;
        let stories = wanted.stories.iter().filter_map(StoryName::in_family).collect();
        Ok(Self { contracts, is_left_out, views, removed, remarks, stories, margins: wanted.margins })
    }

    /// Explores the contracts; nothing, if there are none.
    fn part<R: Rendering>(self, options: &RunOptions<'_>, resume: Option<&Resume>) -> Result<Option<Part<R>>, NotKept> {
        if self.contracts.is_empty() {
            return Ok(None);
        }
        if self.is_left_out {
            return Ok(Some(Part { family: F::NAME, content: None, tally: Tally::default() }));
        }
        let report = self.report(options, resume)?;
        Ok(Some(Part { family: F::NAME, content: Some(R::of(&report)), tally: report.tally() }))
    }

    /// Raises the bounds; nothing, if there are no contracts or views.
    fn grow(self, options: &RunOptions<'_>) -> Vec<Growth> {
        if self.is_left_out {
            return Vec::new();
        }
        grow(&self.contracts, &RunOptions { views: (!self.views.is_empty()).then_some(&self.views), ..*options })
    }

    fn report(self, options: &RunOptions<'_>, resume: Option<&Resume>) -> Result<Report<F>, NotKept> {
        let options = &RunOptions { views: (!self.views.is_empty()).then_some(&self.views), ..*options };
        let explored = self.contracts.into_iter().map(|contract| match resume {
            Some(resume) => resume.run_contract(contract, options),
            None => Ok(run_contract(contract, options)),
        });
        let results: Vec<ContractResult<F>> = explored.collect::<Result<_, _>>()?;
        let margins = self.margins.then(|| margins(&results, options));
        Ok(Report { results, removed: self.removed, remarks: self.remarks, stories: self.stories, margins })
    }
}
