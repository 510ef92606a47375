import { Code, ConnectError } from '@connectrpc/connect'
import type { Permission } from '@parley/permissions'

const invalid = (message: string, cause?: unknown) =>
  new ConnectError(message, Code.InvalidArgument, undefined, undefined, cause)
const unavailable = (message: string, cause?: unknown) =>
  new ConnectError(message, Code.Unavailable, undefined, undefined, cause)

export const storageUnavailable = (cause: unknown) => unavailable('file storage is not available; try again', cause)

export const unknownBlob = () =>
  new ConnectError('image not found: it has expired or was already used; send it again', Code.NotFound)
export const ownerIsGone = () => new ConnectError('the account is deleted', Code.NotFound)
export const unknownKind = () => invalid('kind must be avatar, logo or banner')

const accepted = 'send a JPEG, PNG, GIF or WebP image'
export const imageIsEmpty = () => invalid(`the image is empty; ${accepted}`)
export const imageIsTooLarge = (limit: number) => invalid(`the image is larger than ${limit} bytes`)
export const imageIsMarkup = () => invalid(`SVG and HTML are not accepted as images; ${accepted}`)
export const notAnImage = () => invalid(`unsupported image format; ${accepted}`)
export const imageIsAnimated = () => invalid('the image is animated; send a still image')
export const imageHasTooManyPixels = (width: number, height: number) =>
  invalid(`the image has ${width}x${height} pixels; at most 16384 per side and 40 million in total are allowed`)
export const imageIsBroken = (cause: unknown) => invalid('the image is damaged or incomplete; send it again', cause)
export const imageTakesTooLong = (cause: unknown) =>
  invalid('the image takes too long to decode; send a simpler one', cause)
export const tooManyImages = () =>
  new ConnectError('too many images at once; try again', Code.ResourceExhausted, { 'retry-after': '1' })

export const badImageUrl = () => invalid('the image URL must be an absolute http or https URL without a password')
export const addressIsPrivate = () => invalid('the image URL does not lead to the public internet')
export const tooManyRedirects = () => invalid('the image URL redirects too often')
export const imageCannotBeFetched = (cause?: unknown) => unavailable('the image cannot be fetched', cause)

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const notAMember = () =>
  new ConnectError('permission denied: you are not a member of this room', Code.PermissionDenied)
export const lacksPermission = (permission: Permission) =>
  new ConnectError(`permission denied: this needs ${permission} in this room`, Code.PermissionDenied)
export const roomArchived = () => new ConnectError('the room is archived', Code.FailedPrecondition)
export const roomsUnavailable = (cause: unknown) =>
  unavailable('room membership cannot be checked at the moment; try again', cause)

export const filenameInvalid = () => invalid('filename: a name of 1 to 255 characters is required')
export const contentTypeInvalid = () => invalid('content_type: not a media type such as image/png')
export const fileIsEmpty = () => invalid('size: must be greater than zero')
export const fileTooLarge = (limit: number) => invalid(`size: at most ${limit} bytes are allowed`)
export const videosOff = () => invalid('content_type: video processing is not available')

export const uploadNotFound = () => new ConnectError('upload not found or expired', Code.NotFound)
export const uploadOfAnother = () =>
  new ConnectError('permission denied: the upload is not yours', Code.PermissionDenied)
export const uploadNotOpen = () => invalid('the upload is already completed')
export const chunkTooLarge = (limit: number) => invalid(`content: at most ${limit} bytes are allowed`)
export const chunkDiffers = () => invalid('chunk_sha256: does not match the content')
export const wrongOffset = (committed: number) => invalid(`offset: ${committed} bytes are stored; continue from there`)
export const beyondSize = (size: number) => invalid(`content: exceeds the announced ${size} bytes`)
export const tooManySmallChunks = (smallest: number) =>
  invalid(`content: too many small chunks; cancel the upload and send chunks of ${smallest} bytes or more`)
export const uploadIncomplete = (committed: number, size: number) =>
  invalid(`upload incomplete: ${committed} of ${size} bytes received; send the rest first`)
export const fileDiffers = () => invalid('sha256: does not match the file')
export const tooManyFrames = () => invalid('the animation is too long; at most 256 frames and 100 million pixels')

const exhausted = (message: string) => new ConnectError(message, Code.ResourceExhausted)
export const tooManyUploads = (max: number) =>
  exhausted(`too many open uploads (${max}): complete or cancel one, or wait until one expires`)
export const tooMuchPending = (max: number) =>
  exhausted(`too many files that are not posted yet: at most ${max} bytes are allowed; post some, or try again later`)
export const userQuotaReached = (quota: number) =>
  exhausted(`storage quota reached: your files may take up ${quota} bytes in total; delete some first`)
export const serverIsFull = () => exhausted('storage full: this server cannot store more files; ask an administrator')
export const tooManyCompletions = () =>
  new ConnectError('too many uploads are completed at once; try again', Code.ResourceExhausted, { 'retry-after': '1' })

export const assetNotFound = () => new ConnectError('attachment not found', Code.NotFound)
export const assetNotUsable = (id: string) =>
  invalid(`attachment_asset_ids: ${id} is unknown, expired, not yours, in another room or used in another message`)
export const wrongNumberOfAssets = () => invalid('asset_ids: 1 to 10 ids are required')

export const tooManyVideoIds = (max: number) => invalid(`asset_ids: at most ${max} ids are allowed`)

export const badPageUrl = () => invalid('url: an absolute http or https URL without a password is required')
export const tooManyPages = () =>
  new ConnectError('too many link previews at once; try again', Code.ResourceExhausted, { 'retry-after': '5' })

export const importedIdMissing = () => invalid('source and external id are required')
const lossUnconfirmed = 'if they are lost for good, repair with --accept-loss; nothing was repaired'
export const storageLooksEmpty = () =>
  new ConnectError(
    `none of the files in the database is in the storage; is its disk mounted, and is this the right bucket? ${lossUnconfirmed}`,
    Code.FailedPrecondition,
  )
export const tooMuchIsMissing = (missing: number, rows: number) =>
  new ConnectError(
    `the bytes of ${missing} of ${rows} rows are missing; is this the right storage? ${lossUnconfirmed}`,
    Code.FailedPrecondition,
  )
export const storageMismatch = (belonging: 'missing' | 'foreign') =>
  new ConnectError(
    belonging === 'missing'
      ? 'storage identity missing: is the disk mounted, and is it the right bucket? If so, run: parley storage adopt'
      : 'storage mismatch: another database, or this one in another state, wrote to the storage last; nothing is swept or repaired. ' +
          'Give a copy of the server its own storage; after a restore run: parley storage adopt',
    Code.FailedPrecondition,
  )
export const checkCursorInvalid = () => invalid('invalid cursor: use one that CheckStorage returned')
