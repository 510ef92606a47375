import { findExecutable } from '@parley/local/infrastructure'

/** What the run's global setup installs where it can; the package is called as the program. */
export const videoPrograms = ['ffmpeg']

/** Whether ffmpeg and ffprobe are on PATH: tests of real videos are skipped without them. */
export const hasFfmpeg = (): boolean => ['ffmpeg', 'ffprobe'].every((name) => findExecutable(name) !== undefined)
