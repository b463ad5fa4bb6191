//! What GoGui's "Analyze" menu offers, and the heat maps behind it. The formats are those of
//! GoGui's manual: `cboard` answers a color per point, `sboard` a text, `dboard` a number from
//! -1 to 1, all row by row from the top, separated by blanks.

use anyhow::{Result, ensure};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::network::grid;

const ANALYZE_COMMANDS: &str = "\
cboard/Policy/keima-policy
sboard/Policy Percent/keima-policy_percent
dboard/Ownership/keima-ownership
plist/Legal Moves/all_legal %c
plist/Liberties/findlib %p
plist/Dead Stones/final_status_list dead
plist/Stones In Seki/final_status_list seki
plist/Black Territory/final_status_list black_territory
plist/White Territory/final_status_list white_territory
plist/Dame/final_status_list dame
string/Final Score/final_score
varc/Suggested Move/reg_genmove %c
hstring/Move History/move_history
hstring/Network Outputs/kata-raw-nn 0
string/Rules/kata-get-rules
none/Set Rules/kata-set-rules %s
string/Processor Time/cputime
none/Clear Cache/clear_cache";

pub(super) fn analyze_commands(_: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(ANALYZE_COMMANDS.to_owned())
}

/// The policy as colors, from blue for the impossible over green to red for the best.
pub(super) fn policy_colors(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let policy = point_policy(engine)?;
    let best = policy.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let colors = policy
        .iter()
        .map(|probability| heat_color(probability / best));
    Ok(grid(engine.session.position.size(), colors))
}

/// The policy as whole percentages; `""` is GoGui's word for an empty text.
pub(super) fn policy_percent(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let texts = point_policy(engine)?.into_iter().map(|probability| {
        let percent = (probability * 100.0).round();
        if percent >= 1.0 {
            percent.to_string()
        } else {
            "\"\"".to_owned()
        }
    });
    Ok(grid(engine.session.position.size(), texts))
}

/// Expected ownership, +1 for Black.
pub(super) fn ownership(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let ownership = engine.session.ownership()?;
    Ok(grid(
        engine.session.position.size(),
        ownership.iter().map(|owner| format!("{owner:6.3}")),
    ))
}

/// The player's policy without the pass.
fn point_policy(engine: &mut Engine) -> Result<Vec<f32>> {
    let position = engine.session.position.clone();
    let mut policy = engine.session.view()?.policy(&position)?;
    let area = position.size().area();
    ensure!(policy.len() > area, "the policy does not cover the board");
    policy.truncate(area);
    Ok(policy)
}

/// A color from blue at 0 over green to red at 1; the square root shows small values.
fn heat_color(heat: f32) -> String {
    let heat = heat.clamp(0.0, 1.0).sqrt();
    let byte = |level: f32| (level.clamp(0.0, 1.0) * 255.0).round() as u8;
    let (red, blue) = (byte(2.0 * heat - 1.0), byte(1.0 - 2.0 * heat));
    let green = byte(1.0 - (2.0 * heat - 1.0).abs());
    format!("#{red:02X}{green:02X}{blue:02X}")
}
