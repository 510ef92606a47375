import type { CreateUploadRequest } from '@parley/contracts/api'
import * as errors from '../errors.ts'
import { maxImageBytes } from './limits.ts'
import { isDecodedImage, isVideo, mediaType } from './media-type.ts'

export type FileLimits = { maxUploadBytes: number; videoEnabled: boolean; maxVideoUploadBytes: number }

export type UploadDraft = { roomId: string; filename: string; contentType: string; size: number; sha256: string }

export function draftUpload(request: CreateUploadRequest, limits: FileLimits): UploadDraft {
  const filename = cleanFilename(request.filename)
  if (filename === undefined) throw errors.filenameInvalid()
  const contentType = mediaType(request.contentType)
  if (contentType === undefined) throw errors.contentTypeInvalid()
  if (isVideo(contentType) && !limits.videoEnabled) throw errors.videosOff()
  if (request.size <= 0n) throw errors.fileIsEmpty()
  const largest = maxBytesOf(contentType, limits)
  if (request.size > BigInt(largest)) throw errors.fileTooLarge(largest)
  const { roomId, sha256 } = request
  return { roomId, filename, contentType, size: Number(request.size), sha256 }
}

function maxBytesOf(contentType: string, { maxUploadBytes, maxVideoUploadBytes }: FileLimits): number {
  if (isVideo(contentType)) return maxVideoUploadBytes
  return isDecodedImage(contentType) ? Math.min(maxUploadBytes, maxImageBytes) : maxUploadBytes
}

const longestFilename = 255

/**
 * Returns the last part of a path, without control and direction-changing characters, which could disguise a name.
 * Undefined if the name is invalid.
 */
export function cleanFilename(given: string): string | undefined {
  const last = given.split(/[/\\]/).at(-1) ?? ''
  const name = last.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim()
  return name === '' || /^\.+$/.test(name) || name.length > longestFilename ? undefined : name
}
