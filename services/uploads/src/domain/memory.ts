const MiB = 1024 ** 2
const GiB = 1024 ** 3

const processBytes = 256 * MiB
/** Memory of an image of 40 million pixels while it is decoded. */
const imageBytes = 200e6
const leastToolBytes = GiB
const maxToolBytes = 4 * GiB

const defaults = { imagesAtOnce: 2, transformCacheBytes: 64 * MiB, videosAtOnce: 2 }

/** What the operator has set. */
export type MemorySettings = { [What in keyof typeof defaults]?: number | undefined }

export type MemoryPlan = typeof defaults & {
  /** For ffmpeg, while it processes one video. */
  toolBytes: number
  /** What the plan needs in all, with 256 MiB for this process. */
  bytes: number
}

/**
 * Divides a memory limit, such as that of a container, among images and videos; undefined: no limit. Settings of the
 * operator are kept, and at least one image and one video at a time are planned if this process works on them, even if
 * `bytes` then exceeds the limit.
 *
 * @param worksOn - whether this process decodes images, and whether ffmpeg runs in its container
 */
export function planMemory(
  limit: number | undefined,
  settings: MemorySettings,
  worksOn: { images: boolean; videos: boolean },
): MemoryPlan {
  const available = limit ?? Infinity
  const fitting = (left: number, each: number, max: number) => Math.min(max, Math.max(1, Math.floor(left / each)))
  const cache = settings.transformCacheBytes ?? Math.min(defaults.transformCacheBytes, Math.floor(available / 8))
  const transformCacheBytes = worksOn.images ? cache : 0
  const fixed = processBytes + transformCacheBytes
  const forVideos = worksOn.videos ? leastToolBytes : 0
  const images = settings.imagesAtOnce ?? fitting(available - fixed - forVideos, imageBytes, defaults.imagesAtOnce)
  const imagesAtOnce = worksOn.images ? images : 0
  const left = available - fixed - imagesAtOnce * imageBytes
  const videos = settings.videosAtOnce ?? fitting(left, leastToolBytes, defaults.videosAtOnce)
  const videosAtOnce = worksOn.videos ? videos : 0
  const toolBytes = Math.max(leastToolBytes, Math.min(maxToolBytes, Math.floor(left / Math.max(1, videosAtOnce))))
  const bytes = fixed + imagesAtOnce * imageBytes + videosAtOnce * toolBytes
  return { imagesAtOnce, transformCacheBytes, videosAtOnce, toolBytes, bytes }
}
