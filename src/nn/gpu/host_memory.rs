//! Memory of the host through which batches pass, kept from batch to batch.

use anyhow::Result;

use super::Device;

/// A lane with its room for inputs and outputs, in bytes.
pub struct HostMemory<D: Device> {
    /// The memory.
    pub lane: D::Lane,
    room: (usize, usize),
}

impl<D: Device> HostMemory<D> {
    /// What was there if it has room for so many bytes of inputs and outputs, or more.
    pub fn with_room(
        device: &D,
        before: Option<HostMemory<D>>,
        room: (usize, usize),
    ) -> Result<HostMemory<D>> {
        let known = before.as_ref().map_or((0, 0), |host| host.room);
        match before {
            Some(host) if known.0 >= room.0 && known.1 >= room.1 => Ok(host),
            _ => {
                let room = (room.0.max(known.0), room.1.max(known.1));
                let lane = device.lane(room.0, room.1)?;
                Ok(HostMemory { lane, room })
            }
        }
    }
}
