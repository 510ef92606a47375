import { AssetService, ImageFitMode } from '@parley/contracts/api'
import { measureThumbnailFloor } from '../floors/thumbnails.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { createPhotos, postImages } from '../load/images.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

const images = 8
const side = 320
const inFlight = 8
const [warmUpSeconds, seconds] = [1, 4]
/** The prepared URLs suffice as long as the fleet is at most this many times as fast as the floor. */
const margin = 2

/**
 * Measures downloads of thumbnails, first uncached and then cached, by several readers at once. `http` needs a
 * connection for each reader.
 */
export async function measureThumbnails(http: HttpCaller, roomId: string, report: Report): Promise<void> {
  console.error(`uploading ${images} images`)
  const originals = await createPhotos(images)
  const assetIds = await postImages(http, roomId, originals)
  const floor = await measureThumbnailFloor(originals, side, inFlight)

  const sizes = Math.ceil((floor.perSecond * (warmUpSeconds + seconds) * margin) / images)
  const uncached: string[] = []
  // The width is that of the floor. The height is more than the thumbnail has, and only makes each request different.
  for (let n = 0; n < sizes; n++) uncached.push(...(await thumbnailUrls(http, roomId, assetIds, side + n)))
  const first = uncached.slice(0, images)
  const cold = await time(() => http.download(required(uncached.shift())), { inFlight, warmUpSeconds, seconds })
  report.add('thumbnails of 4-megapixel images, cold', cold.perSecond, '1/s', floor.perSecond)
  report.add('thumbnails of 4-megapixel images, cold p99', cold.p99, 'ms', floor.p99)

  let turn = 0
  const again = () => http.download(required(first[turn++ % first.length]))
  const cached = await time(again, { inFlight, seconds: 3 })
  report.add('thumbnails from the cache', cached.perSecond, '1/s')
  report.add('thumbnails from the cache p99', cached.p99, 'ms')
}

async function thumbnailUrls(http: HttpCaller, roomId: string, assetIds: string[], height: number): Promise<string[]> {
  const thumbnail = { width: side, height, fit: ImageFitMode.CONTAIN }
  const { assets } = await http.call(AssetService.method.batchGetAssets, { roomId, assetIds, thumbnail })
  return assets.map(({ thumbnailAssetUrl }) => required(thumbnailAssetUrl?.url))
}

function required(url: string | undefined): string {
  if (url === undefined) throw new Error('no thumbnail URL is left, or the server returned none')
  return url
}
