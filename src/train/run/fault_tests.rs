//! Injects write failures into a run, one at a time: confirmed state survives, and the run resumes.

use std::fs;
use std::path::Path;

use super::checkpoint::{Counters, State};
use super::metrics::Metrics;
use super::settings::{Plan, RunManifest, Settings};
use super::*;
use crate::files::faults;
use crate::nn::arch::Arch;
use crate::train::nets::{self, CurrentNet};

const ARCH: &str = "b1c16";
const SAMPLES: [u64; 3] = [10, 20, 30];

/// State confirmed before a write failed.
#[derive(Debug, Default)]
struct Confirmed {
    manifest: bool,
    samples: u64,
    net: u32,
}

fn state_at(model: &Model, samples: u64) -> State {
    let counters = Counters {
        samples,
        ..Counters::default()
    };
    let list = vec![samples as f32; model.values.len()];
    State {
        counters,
        values: list.clone(),
        average: list.clone(),
        first: list.clone(),
        second: list,
    }
}

/// Begins a run or resumes it, and records what was confirmed.
fn work(path: &Path, model: &Model, confirmed: &mut Confirmed) -> Result<()> {
    let run = if exists(path) {
        Run::open(path)?
    } else {
        let manifest = RunManifest {
            settings: Settings::new(ARCH, 16),
            plan: Plan::default(),
        };
        let (net, state) = (model.net(), None);
        Run::create(path, &manifest, &InitialState { net, state })?
    };
    confirmed.manifest = true;
    let mut metrics = Metrics::open(path, confirmed.samples)?;
    for (id, samples) in (1..).zip(SAMPLES) {
        run.save(&state_at(model, samples), model)?;
        confirmed.samples = samples;
        metrics.add(samples, &vec![("loss".to_owned(), 1.0)])?;
        let bytes = format!("net {id}");
        let file = nets::store(path, id, bytes.as_bytes(), "safetensors")?;
        let current = CurrentNet {
            id,
            file,
            sha256: files::sha256(bytes.as_bytes()),
            elo: None,
            since: 0,
        };
        nets::use_from_now_on(path, &current)?;
        confirmed.net = id;
    }
    Ok(())
}

fn check(path: &Path, model: &Model, confirmed: &Confirmed) {
    if confirmed.manifest {
        let run = Run::open(path).unwrap();
        let (_, state) = run.load(&mut |remark| panic!("{remark}")).unwrap();
        let samples = state.as_ref().map_or(0, |state| state.counters.samples);
        assert!(samples >= confirmed.samples, "{confirmed:?}: {samples}");
        if let Some(state) = state {
            assert_eq!(state, state_at(model, samples));
        }
    }
    let net = nets::current(path).unwrap();
    let id = net.as_ref().map_or(0, |net| net.id);
    assert!(id >= confirmed.net, "{confirmed:?}: {id}");
    if let Some(net) = net {
        assert_eq!(net.read(path).unwrap(), format!("net {id}").as_bytes());
    }
}

#[test]
fn a_run_survives_each_failing_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let model = Model::init(&Arch::named(ARCH).unwrap(), 1).unwrap();
    let begin = || {
        if path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        let mut confirmed = Confirmed::default();
        let result = work(&path, &model, &mut confirmed);
        (result, confirmed)
    };
    faults::each(begin, |(result, confirmed), failing| {
        check(&path, &model, &confirmed);
        // Without a fault, the run resumes and completes.
        let mut all = Confirmed::default();
        work(&path, &model, &mut all).unwrap_or_else(|error| panic!("{failing:?}: {error:#}"));
        check(&path, &model, &all);
        assert_eq!(all.net, 3, "{result:?}");
        let left = fs::read_dir(&path).unwrap().flatten();
        let names = left.map(|entry| entry.file_name().into_string().unwrap());
        let temporary: Vec<_> = names.filter(|name| name.starts_with(".keima-")).collect();
        assert!(temporary.is_empty(), "{temporary:?}");
    });
}
