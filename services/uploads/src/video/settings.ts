import { duration, int, str } from '@parley/config'

/** How videos are processed, where they are. */
export const videoWorkerFields = () => ({
  ffmpegPath: str('PARLEY_VIDEO_FFMPEG_PATH', {
    toml: 'video.ffmpeg_path',
    default: 'ffmpeg',
    min: 1,
    doc: 'the ffmpeg program: a path, or a name on PATH',
  }),
  ffprobePath: str('PARLEY_VIDEO_FFPROBE_PATH', {
    toml: 'video.ffprobe_path',
    default: 'ffprobe',
    min: 1,
    doc: 'the ffprobe program: a path, or a name on PATH',
  }),
  videosAtOnce: int('PARLEY_VIDEO_MAX_CONCURRENT', {
    toml: 'video.max_concurrent',
    default: 2,
    min: 1,
    doc: 'videos that one process works on at the same time',
  }),
  videoFolder: str('PARLEY_VIDEO_TEMP_DIR', {
    toml: 'video.temp_dir',
    optional: true,
    doc: "folder for videos that are worked on; the system's one for temporary files unless set",
  }),
  videoTimeoutMs: duration('PARLEY_VIDEO_JOB_TIMEOUT', {
    toml: 'video.job_timeout',
    default: '5m',
    doc: 'longest work on one video; what takes longer fails',
  }),
})

/** Where ffmpeg is, and what it may take. */
export type VideoSettings = {
  ffmpegPath: string
  ffprobePath: string
  videosAtOnce: number
  videoFolder: string | undefined
  videoTimeoutMs: number
  maxVideoUploadBytes: number
}
