import { AssetService, ImageFitMode } from '@parley/contracts/api'
import { thumbnailFloor } from '../floors/thumbnails.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { photos, postImages } from '../load/images.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'

const images = 8
const side = 320
const inFlight = 8
const [warmUpSeconds, seconds] = [1, 4]
/** How much faster than its floor the fleet may be before it runs out of new sizes to request. */
const margin = 2

/** Reads small sizes of large images, first uncached and then cached. Needs a connection for each reader. */
export async function measureThumbnails(http: HttpCaller, roomId: string, report: Report): Promise<void> {
  console.error(`sending ${images} images`)
  const originals = await photos(images)
  const assetIds = await postImages(http, roomId, originals)
  const floor = await thumbnailFloor(originals, side, inFlight)

  const rounds = Math.ceil((floor.perSecond * (warmUpSeconds + seconds) * margin) / images)
  const fresh: string[] = []
  // The width is that of the floor. A height limit that is never reached makes each request a different size.
  for (let n = 0; n < rounds; n++) fresh.push(...(await addresses(http, roomId, assetIds, side + n)))
  const first = fresh.slice(0, images)
  const cold = await time(() => http.read(some(fresh.shift())), { inFlight, warmUpSeconds, seconds })
  report.add('thumbnails of 4-megapixel images, cold', cold.perSecond, '1/s', floor.perSecond)
  report.add('thumbnails of 4-megapixel images, cold p99', cold.p99, 'ms', floor.p99)

  let turn = 0
  const again = () => http.read(some(first[turn++ % first.length]))
  const cached = await time(again, { inFlight, seconds: 3 })
  report.add('thumbnails from the cache', cached.perSecond, '1/s')
  report.add('thumbnails from the cache p99', cached.p99, 'ms')
}

async function addresses(http: HttpCaller, roomId: string, assetIds: string[], height: number): Promise<string[]> {
  const thumbnail = { width: side, height, fit: ImageFitMode.CONTAIN }
  const { assets } = await http.call(AssetService.method.batchGetAssets, { roomId, assetIds, thumbnail })
  return assets.map(({ thumbnailAssetUrl }) => some(thumbnailAssetUrl?.url))
}

function some(address: string | undefined): string {
  if (address === undefined) throw new Error('all addresses of thumbnails have been read')
  return address
}
