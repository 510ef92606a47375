import { Code, ConnectError } from '@connectrpc/connect'
import type { Permission } from '@parley/auth'

const invalid = (message: string, cause?: unknown) =>
  new ConnectError(message, Code.InvalidArgument, undefined, undefined, cause)
const unavailable = (message: string, cause?: unknown) =>
  new ConnectError(message, Code.Unavailable, undefined, undefined, cause)

export const storageUnavailable = (cause: unknown) => unavailable('files cannot be stored or read; try again', cause)

export const unknownBlob = () =>
  new ConnectError('the uploaded bytes are not there any more; send them again', Code.NotFound)
export const ownerIsGone = () => new ConnectError('the account is deleted', Code.NotFound)
export const unknownKind = () => invalid('kind must be avatar, logo or banner')

const taken = 'send a JPEG, PNG, GIF or WebP image'
export const imageIsEmpty = () => invalid(`the image is empty; ${taken}`)
export const imageIsTooLarge = (limit: number) => invalid(`the image is larger than ${limit} bytes`)
export const imageIsMarkup = () => invalid(`SVG and HTML are not taken as images; ${taken}`)
export const notAnImage = () => invalid(`the file is not an image that is understood here; ${taken}`)
export const imageIsAnimated = () => invalid('the image is animated; send a still one')
export const imageHasTooManyPixels = (width: number, height: number) =>
  invalid(`the image has ${width}x${height} pixels; at most 16384 on a side and 40 million in all are taken`)
export const imageIsBroken = (cause: unknown) => invalid('the image is damaged or cut off; send a whole one', cause)
export const imageTakesTooLong = (cause: unknown) =>
  invalid('the image takes too long to decode; send a simpler one', cause)
export const tooManyImages = () =>
  new ConnectError('too many images at once; try again', Code.ResourceExhausted, { 'retry-after': '1' })

export const badImageUrl = () =>
  invalid('the address of the image must be an absolute http or https URL without a password')
export const addressIsPrivate = () => invalid('the address of the image does not lead to the public internet')
export const tooManyRedirects = () => invalid('the address of the image is passed on too often')
export const imageCannotBeFetched = (cause?: unknown) => unavailable('the image cannot be fetched', cause)

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const notAMember = () =>
  new ConnectError('permission denied: you are not a member of this room', Code.PermissionDenied)
export const lacksPermission = (permission: Permission) =>
  new ConnectError(`permission denied: this needs ${permission} in this room`, Code.PermissionDenied)
export const roomArchived = () => new ConnectError('the room is archived', Code.FailedPrecondition)
export const roomsSilent = (cause: unknown) => unavailable('who may see this room cannot be told now; try again', cause)

export const filenameInvalid = () => invalid('filename: a name of 1 to 255 characters is required')
export const contentTypeInvalid = () => invalid('content_type: not a media type such as image/png')
export const fileIsEmpty = () => invalid('size: above zero')
export const fileTooLarge = (limit: number) => invalid(`size: at most ${limit} bytes are taken`)
export const videosOff = () => invalid('content_type: video processing is not available')
export const keyReused = () => invalid('Idempotency-Key: already used for another request')

export const uploadNotFound = () => new ConnectError('upload not found, or expired', Code.NotFound)
export const uploadOfAnother = () =>
  new ConnectError('permission denied: the upload is not yours', Code.PermissionDenied)
export const uploadNotOpen = () => invalid('the upload is completed')
export const chunkTooLarge = (limit: number) => invalid(`content: at most ${limit} bytes`)
export const chunkDiffers = () => invalid('chunk_sha256: not the checksum of the content')
export const wrongOffset = (committed: number) => invalid(`offset: ${committed} bytes are stored; go on from there`)
export const beyondSize = (size: number) => invalid(`content: goes beyond the announced ${size} bytes`)
export const tooManySmallChunks = (smallest: number) =>
  invalid(`content: too many small chunks; cancel the upload and send chunks of ${smallest} bytes or more`)
export const uploadIncomplete = (committed: number, size: number) =>
  invalid(`only ${committed} of ${size} bytes are there; send the others first`)
export const fileDiffers = () => invalid('the file is not the one whose sha256 was announced')
export const tooManyFrames = () => invalid('the animation is too long; at most 256 frames and 100 million pixels')

const exhausted = (message: string) => new ConnectError(message, Code.ResourceExhausted)
export const tooManyUploads = (most: number) =>
  exhausted(`${most} uploads are open already; complete or cancel one, or wait until one expires`)
export const tooMuchPending = (most: number) =>
  exhausted(`of files that no message uses yet, at most ${most} bytes are kept for you; use some, or try again later`)
export const userQuotaReached = (quota: number) =>
  exhausted(`your files may take ${quota} bytes in all; delete some before you send more`)
export const serverIsFull = () => exhausted('this server has no room for more files; tell those who run it')
export const tooManyCompletions = () =>
  new ConnectError('too many files are put together at once; try again', Code.ResourceExhausted, { 'retry-after': '1' })

export const assetNotFound = () => new ConnectError('attachment not found', Code.NotFound)
export const assetNotUsable = (id: string) =>
  invalid(`attachment_asset_ids: ${id} is unknown, expired, not yours, of another room or used in another message`)
export const tooManyAssets = () => invalid('asset_ids: 1 to 10')

export const tooManyVideos = (most: number) => invalid(`asset_ids: at most ${most}`)

export const badPageUrl = () => invalid('url: an absolute http or https address without a password is required')
export const tooManyPages = () =>
  new ConnectError('too many pages are looked at; try again', Code.ResourceExhausted, { 'retry-after': '5' })

export const importedIdMissing = () => invalid('whatever is imported has a source and an id there')
const lossAsked = 'if they are gone for good, repair with --accept-loss; nothing of this was mended'
export const storageLooksEmpty = () =>
  new ConnectError(
    `none of the files that the database knows is in the storage; is its disk mounted, its bucket the right one? ${lossAsked}`,
    Code.FailedPrecondition,
  )
export const tooMuchIsMissing = (missing: number, of: number) =>
  new ConnectError(
    `the bytes of ${missing} of ${of} rows are missing; is this the right storage? ${lossAsked}`,
    Code.FailedPrecondition,
  )
export const storageNotOurs = (belonging: 'missing' | 'foreign') =>
  new ConnectError(
    belonging === 'missing'
      ? 'the storage has no identity any more: is its disk mounted, its bucket the right one? If it is, run: parley storage adopt'
      : 'another database, or this one in another state, wrote to the storage last: nothing is swept or repaired. ' +
          'Give a copy of the server a storage of its own; after a restore run: parley storage adopt',
    Code.FailedPrecondition,
  )
export const checkCursorInvalid = () => invalid('cursor: not one that a check answered')
