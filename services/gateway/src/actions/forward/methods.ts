import type { DescMethodUnary } from '@bufbuild/protobuf'
import { carriesImage } from './image-requests.ts'
import { limitClassOf, type LimitClass } from './limit-class.ts'
import { methodPath, publicMethods } from '@parley/contracts/catalogue'

export type PublicMethod = {
  method: DescMethodUnary
  /** Whether a credential is needed: everything but discovery and the token-guarded flows of svc.auth. */
  needsCaller: boolean
  /** Largest request body in bytes; for those that carry an image it is a setting. */
  maxBodyBytes: number
  /** The same in JSON, which writes bytes a third longer. */
  maxJsonBodyBytes: number
  /** Whether its requests hold a whole image. */
  carriesImage: boolean
  /** With which others it is counted. */
  limit: LimitClass
}

/** What a request holds besides its image or chunk. */
export const bodyFrameBytes = 64 * 1024
const defaultMaxBodyBytes = 1024 * 1024
/** Of those who are not signed in: forms of sign-in are short. */
const anyonesMaxBodyBytes = 64 * 1024
const chunkBytes = 512 * 1024
const chunkBodyBytes = chunkBytes + bodyFrameBytes
const chunkJsonBytes = Math.ceil(chunkBytes / 3) * 4 + bodyFrameBytes

/** Every public method by its path, e.g. `/svc.api.v1.RoomService/CreateRoom`. */
export const methodsByPath: ReadonlyMap<string, PublicMethod> = new Map(
  publicMethods.map((method) => {
    const needsCaller = /^svc\.(api|admin)\./.test(method.parent.typeName)
    const usual = needsCaller ? defaultMaxBodyBytes : anyonesMaxBodyBytes
    return [
      methodPath(method),
      {
        method,
        needsCaller,
        maxBodyBytes: method.name === 'UploadChunk' ? chunkBodyBytes : usual,
        maxJsonBodyBytes: method.name === 'UploadChunk' ? chunkJsonBytes : usual,
        carriesImage: carriesImage(method),
        limit: limitClassOf(method),
      },
    ]
  }),
)

/** Where browsers find the methods; gRPC clients, which have no base path, find the same ones at the root. */
export const connectPrefix = '/api/connect'

export function findMethod(path: string): PublicMethod | undefined {
  return methodsByPath.get(path.startsWith(`${connectPrefix}/`) ? path.slice(connectPrefix.length) : path)
}
