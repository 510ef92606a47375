import { Code, ConnectError } from '@connectrpc/connect'

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
