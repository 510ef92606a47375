import type { DescMethodUnary } from '@bufbuild/protobuf'
import { carriesImage } from './image-requests.ts'
import { limitClassOf, type LimitClass } from './limit-class.ts'
import { methodPath, publicMethods } from '@parley/contracts/catalogue'

export type PublicMethod = {
  method: DescMethodUnary
  /** Whether a credential is needed: for everything except discovery and the token-guarded flows of svc.auth. */
  needsCaller: boolean
  /** Maximum size of a request body in bytes; a setting for methods with an image. */
  maxBodyBytes: number
  /** The same for JSON, which encodes bytes a third longer. */
  maxJsonBodyBytes: number
  /** Whether its requests contain a whole image. */
  carriesImage: boolean
  /** The rate limit that applies. */
  limit: LimitClass
}

/** Space in a request for everything except its image or chunk. */
export const bodyFrameBytes = 64 * 1024
const defaultMaxBodyBytes = 1024 * 1024
/** Limit for callers who are not signed in, whose requests are short. */
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

/** Path prefix of the methods for browsers; gRPC clients, which have no base path, use the root. */
export const connectPrefix = '/api/connect'

export function findMethod(path: string): PublicMethod | undefined {
  return methodsByPath.get(path.startsWith(`${connectPrefix}/`) ? path.slice(connectPrefix.length) : path)
}
