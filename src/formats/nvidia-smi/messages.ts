/** What nvidia-smi says in place of figures, in the words of its drivers. */
const SAYINGS =
  /GPU is lost|^Unable to determine the device handle|^NVIDIA-SMI has failed|^Failed to |^No devices were found|Insufficient Permissions|Driver\/library version mismatch|^Field ".*" is not a valid field|^(?:Unknown Error|Error|ERROR)\b|^(?:Killed|Terminated)$|reboot the system|^Reboot /i;

export const isMessage = (line: string) => SAYINGS.test(line);

/** Stricter, for a file that is nothing but such a message: no other program begins with these. */
const OWN =
  /^(?:NVIDIA-SMI has failed|Failed to initialize NVML|No devices were found$|Unable to determine the device handle for GPU|Field ".*" is not a valid field to query)/;

export const isOwnMessage = (line: string) => OWN.test(line);
