import type { DescMethodUnary } from '@bufbuild/protobuf'
import { carriesImage } from './image-requests.ts'
import { limitClassOf, type LimitClass } from './limit-class.ts'
import { methodPath, publicMethods } from '@parley/contracts/catalogue'

export type PublicMethod = {
  method: DescMethodUnary
  /** False for discovery, which is open to everyone, and for svc.auth, whose methods check tokens of their own. */
  needsCaller: boolean
  /** In bytes, for Connect over HTTP/1.1. For methods with an image a setting applies instead. */
  maxBodyBytes: number
  /** In JSON, bytes take a third more space. */
  maxJsonBodyBytes: number
  carriesImage: boolean
  limit: LimitClass
}

/** Space for everything else in a request that contains an image or a chunk of a file. */
export const bodyOverheadBytes = 64 * 1024
const defaultMaxBodyBytes = 1024 * 1024
const anonymousMaxBodyBytes = 64 * 1024
const chunkBytes = 512 * 1024
const chunkBodyBytes = chunkBytes + bodyOverheadBytes
const chunkJsonBytes = Math.ceil(chunkBytes / 3) * 4 + bodyOverheadBytes

/** Keys are paths, e.g. `/svc.api.v1.RoomService/CreateRoom`. */
export const methodsByPath: ReadonlyMap<string, PublicMethod> = new Map(
  publicMethods.map((method) => {
    const needsCaller = /^svc\.(api|admin)\./.test(method.parent.typeName)
    const usual = needsCaller ? defaultMaxBodyBytes : anonymousMaxBodyBytes
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

/** For browsers; gRPC clients, which have no base path, use the root. */
export const connectPrefix = '/api/connect'

export function findMethod(path: string): PublicMethod | undefined {
  return methodsByPath.get(path.startsWith(`${connectPrefix}/`) ? path.slice(connectPrefix.length) : path)
}
