import { int, list, str, timerDuration } from '@parley/config'

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
    optional: true,
    min: 1,
    doc: 'number of videos that one process converts concurrently; default: 2, or 1 if the memory limit is too low',
  }),
  videoFolder: str('PARLEY_VIDEO_TEMP_DIR', {
    toml: 'video.temp_dir',
    optional: true,
    doc: "folder for videos being processed; default: the system's folder for temporary files",
  }),
  videoUserId: int('PARLEY_VIDEO_USER_ID', {
    toml: 'video.user_id',
    default: 59_999,
    min: 0,
    doc: 'system user id that ffmpeg runs as, if the process may change users (as root); 0: the user of the process',
  }),
  videoTimeoutMs: timerDuration('PARLEY_VIDEO_JOB_TIMEOUT', {
    toml: 'video.job_timeout',
    default: '5m',
    doc: 'time limit for processing one video; exceeding it fails the video',
  }),
})

export const remoteVideoFields = () => ({
  videoWorkerUrls: list('PARLEY_VIDEO_WORKER_URLS', {
    default: [],
    doc: 'http URLs of video workers, which run ffmpeg in processes without secrets. Default: uploads runs ffmpeg itself',
  }),
})

export type VideoSettings = {
  ffmpegPath: string
  ffprobePath: string
  videosAtOnce?: number | undefined
  videoUserId: number
  videoFolder: string | undefined
  videoTimeoutMs: number
  maxVideoUploadBytes: number
}
