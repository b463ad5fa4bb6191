//! Writing network files; the extension gives the format.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::files;
use crate::nn::checkpoint;
use crate::nn::desc::Net;
use crate::nn::katago::{self, Form};

/// Refuses a file that exists, unless it may be replaced.
pub fn refuse_existing(path: &Path, may_replace: bool) -> Result<()> {
    ensure!(
        may_replace || !files::exists(path),
        "{} exists already; --force replaces it",
        path.display()
    );
    Ok(())
}

/// A file to be written.
pub struct NewFile {
    path: PathBuf,
    form: FileForm,
    may_replace: bool,
}

impl NewFile {
    /// Refuses unknown extensions, and existing files unless they may be replaced.
    pub fn new(path: &Path, may_replace: bool) -> Result<NewFile> {
        let form = FileForm::of_name(path)?;
        refuse_existing(path, may_replace)?;
        Ok(NewFile {
            path: path.to_path_buf(),
            form,
            may_replace,
        })
    }

    /// Writes the net.
    pub fn write(&self, net: &Net) -> Result<()> {
        let bytes = self.form.encode(net);
        let bytes = bytes.with_context(|| format!("cannot write {}", self.path.display()))?;
        files::write_whole(&self.path, &bytes, self.may_replace)
    }
}

/// Format of a network file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileForm {
    /// KataGo's.
    KataGo {
        /// Number format of the weights.
        form: Form,
        /// Whether the file is compressed.
        gzip: bool,
    },
    /// keima's own.
    Checkpoint {
        /// Whether the file is compressed.
        gzip: bool,
    },
}

impl FileForm {
    /// The format for a file name.
    fn of_name(path: &Path) -> Result<FileForm> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let katago = |form, gzip| Ok(FileForm::KataGo { form, gzip });
        match name {
            name if name.ends_with(".bin.gz") => katago(Form::Binary, true),
            name if name.ends_with(".bin") => katago(Form::Binary, false),
            name if name.ends_with(".txt.gz") => katago(Form::Text, true),
            name if name.ends_with(".txt") => katago(Form::Text, false),
            name if name.ends_with(".safetensors") => Ok(FileForm::Checkpoint { gzip: false }),
            name if name.ends_with(".safetensors.gz") => Ok(FileForm::Checkpoint { gzip: true }),
            _ => bail!(
                "the name of {} should end in .bin.gz, .bin, .txt.gz or .txt (KataGo's forms) or in \
                 .safetensors or .safetensors.gz (a checkpoint)",
                path.display()
            ),
        }
    }

    /// Encodes a net.
    fn encode(self, net: &Net) -> Result<Vec<u8>> {
        let (bytes, gzip) = match self {
            FileForm::Checkpoint { gzip } => (checkpoint::write_bytes(net)?, gzip),
            FileForm::KataGo { form, gzip } => (katago::write_bytes(net, form)?, gzip),
        };
        match gzip {
            true => files::gzipped(&bytes),
            false => Ok(bytes),
        }
    }
}
