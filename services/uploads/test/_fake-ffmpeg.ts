import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Scripts that replace ffmpeg and ffprobe. ffmpeg records its encoding calls. */
export type FakeFfmpeg = AsyncDisposable & {
  settings: Record<string, string>
  /** Process ids of encoding calls, oldest first. */
  calls: () => Promise<number[]>
  /** Lets the calls for videos that contain WAIT continue. */
  release: () => Promise<void>
  folders: () => Promise<string[]>
  leaveFolder: (name: string, ageMs: number) => Promise<void>
}

const ffprobe = `#!/bin/sh
case "$*" in *-version*) echo 'ffprobe version fake'; exit 0 ;; esac
grep -aq AUDIO_ONLY source && { echo '{"streams":[{"codec_type":"audio"}]}'; exit 0; }
echo '{"streams":[{"codec_type":"video","width":1280,"height":720}],"format":{"duration":"2.5"}}'
`

const ffmpeg = (folder: string) => `#!/bin/sh
case "$*" in *-encoders*) echo ' V..... libx264'; echo ' A..... aac'; exit 0 ;; esac
echo $$ >> '${folder}/calls'
grep -aq BROKEN source && { echo 'Invalid data found when processing input' >&2; exit 1; }
grep -aq FULL source && { echo 'No space left on device' >&2; exit 1; }
grep -aq KILLED source && kill -9 $$
if grep -aq WAIT source; then while [ ! -e '${folder}/go' ]; do sleep 0.02; done; fi
for arg do case "$arg" in
  file:source) ;;
  file:*) echo "this is \${arg#file:}" > "\${arg#file:}" ;;
esac; done
`

/** Words inside the video control what the scripts do. */
export async function startFakeFfmpeg(): Promise<FakeFfmpeg> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-fake-ffmpeg-'))
  const program = async (name: string, script: string) => {
    const path = join(folder, name)
    await writeFile(path, script)
    await chmod(path, 0o755)
    return path
  }
  const work = join(folder, 'work')
  return {
    settings: {
      PARLEY_VIDEO_ENABLED: 'true',
      PARLEY_VIDEO_FFMPEG_PATH: await program('ffmpeg', ffmpeg(folder)),
      PARLEY_VIDEO_FFPROBE_PATH: await program('ffprobe', ffprobe),
      PARLEY_VIDEO_TEMP_DIR: work,
    },
    calls: async () => {
      const lines = await readFile(join(folder, 'calls'), 'utf8').catch(() => '')
      return lines
        .split('\n')
        .filter((line) => line !== '')
        .map(Number)
    },
    leaveFolder: async (name, ageMs) => {
      const path = join(work, name)
      await mkdir(path)
      await writeFile(join(path, 'source'), 'a video')
      await utimes(path, new Date(Date.now() - ageMs), new Date(Date.now() - ageMs))
    },
    release: () => writeFile(join(folder, 'go'), ''),
    folders: () => readdir(work).catch(() => []),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Bytes with the header of an MP4 file, followed by words that control the scripts. */
export const videoWith = (words: string): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom'), Buffer.alloc(12), Buffer.from(words)])
