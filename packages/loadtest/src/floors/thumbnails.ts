import sharp from 'sharp'
import { time, type Timing } from '../load/timing.ts'

/** Resizes images in memory to JPEGs that fit into a square of `side` pixels. */
export async function measureThumbnailFloor(
  images: readonly Buffer[],
  side: number,
  inFlight: number,
): Promise<Timing> {
  sharp.cache(false)
  let turn = 0
  const make = () =>
    sharp(images[turn++ % images.length], { sequentialRead: true })
      .autoOrient()
      .resize({ width: side, height: side, fit: 'inside' })
      .jpeg({ quality: 75 })
      .toBuffer()
  return time(make, { inFlight, seconds: 3 })
}
