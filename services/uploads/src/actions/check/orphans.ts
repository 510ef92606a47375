import type { Reader } from '@parley/postgres'
import { isOwnKey, storageKeys } from '../../engines/storage/index.ts'
import { findUnknownVariants } from '../../store/asset-variants.ts'
import { findUnknownAssets } from '../../store/assets.ts'
import { findUnknownBlobs } from '../../store/blobs.ts'
import { findUnknownImages } from '../../store/server-images.ts'
import { findUnknownChunks } from '../../store/uploads.ts'

/**
 * Returns for each prefix a function that finds the keys without a row, ignoring keys that this service does not
 * generate. Pass only keys of old bytes: rows are written after bytes.
 */
export function orphanFinders(db: Reader): Record<string, (keys: string[]) => Promise<string[]>> {
  const finder = (prefix: string, find: (ids: string[]) => Promise<string[]>) => async (keys: string[]) => {
    const own = keys.filter(isOwnKey).map((key) => key.slice(prefix.length + 1))
    return own.length === 0 ? [] : (await find(own)).map((id) => `${prefix}/${id}`)
  }
  const { blobs, chunks, assets, variants, serverImages } = storageKeys
  return {
    [blobs]: finder(blobs, (ids) => findUnknownBlobs(db, ids)),
    [chunks]: async (keys) => findUnknownChunks(db, keys.filter(isOwnKey)),
    [assets]: finder(assets, (ids) => findUnknownAssets(db, ids)),
    [variants]: finder(variants, (ids) => findUnknownVariants(db, ids)),
    [serverImages]: finder(serverImages, (ids) => findUnknownImages(db, ids)),
  }
}
