/** The properties of the video as displayed: rotated, and with square pixels. */
export type SourceVideo = {
  durationMs: number | undefined
  width: number
  height: number
}

type Stream = {
  codec_type?: unknown
  width?: unknown
  height?: unknown
  duration?: unknown
  sample_aspect_ratio?: unknown
  disposition?: { attached_pic?: unknown }
  tags?: { rotate?: unknown }
  side_data_list?: { rotation?: unknown }[]
}

export const probedEntries = [
  'format=duration',
  'stream=codec_type,width,height,duration,sample_aspect_ratio',
  'stream_disposition=attached_pic',
  'stream_side_data=rotation',
  'stream_tags=rotate',
].join(':')

const maxSide = 16_384
const maxPixels = 40_000_000

/**
 * Parses the first video stream in the output of ffprobe. Undefined if there is none, or if its size is invalid or too
 * large.
 */
export function readProbe(output: string): SourceVideo | undefined {
  const { streams, duration } = parse(output)
  const stream = streams.find(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  )
  if (!stream) return undefined
  const [width, height] = [Number(stream.width), Number(stream.height)]
  if (!isSide(width) || !isSide(height) || width * height > maxPixels) return undefined
  const displayed = { width: Math.round(width * pixelAspectRatio(stream)), height }
  if (!isSide(displayed.width)) return undefined
  const upright = isSideways(stream) ? { width: height, height: displayed.width } : displayed
  return { ...upright, durationMs: toDurationMs(duration, stream.duration) }
}

function parse(output: string): { streams: Stream[]; duration: unknown } {
  try {
    const parsed = JSON.parse(output) as { streams?: Stream[]; format?: { duration?: unknown } } | null
    return { streams: parsed?.streams ?? [], duration: parsed?.format?.duration }
  } catch {
    return { streams: [], duration: undefined }
  }
}

const isSide = (side: number): boolean => Number.isInteger(side) && side >= 1 && side <= maxSide

function pixelAspectRatio({ sample_aspect_ratio: ratio }: Stream): number {
  const [, across = '1', down = '1'] =
    /^([1-9]\d{0,8}):([1-9]\d{0,8})$/.exec(typeof ratio === 'string' ? ratio : '') ?? []
  return Number(across) / Number(down)
}

/** A rotation by 90 or 270 degrees swaps the sides. */
function isSideways({ side_data_list: sideData = [], tags }: Stream): boolean {
  const rotation = sideData.find((entry) => entry.rotation !== undefined)?.rotation ?? tags?.rotate ?? 0
  return Math.abs(Math.round(Number(rotation) / 90)) % 2 === 1
}

function toDurationMs(...lengths: unknown[]): number | undefined {
  const seconds = lengths.map(Number).find((length) => length > 0 && length < 1e9)
  return seconds === undefined ? undefined : Math.round(seconds * 1000)
}
