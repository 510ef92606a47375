import { fromBinary, type DescMethod } from '@bufbuild/protobuf'
import { AdminServerService } from '@parley/contracts/admin'
import { MyAccountService } from '@parley/contracts/api'
import { encode } from '@parley/protobuf'

const { uploadServerBanner, uploadServerLogo } = AdminServerService.method
const methods = [MyAccountService.method.uploadAvatar, uploadServerLogo, uploadServerBanner] as const
const byMethod = new Map<DescMethod, (typeof methods)[number]>(methods.map((method) => [method, method]))

export const carriesImage = (method: DescMethod): boolean => byMethod.has(method)

/** Undefined if there is no image, or the request cannot be read. */
export function extractImage(
  method: DescMethod,
  body: Uint8Array,
): { image: Uint8Array; rest: Uint8Array } | undefined {
  const input = byMethod.get(method)?.input
  if (!input) return undefined
  try {
    const request = fromBinary(input, body)
    const image = request.image?.image
    if (!request.image || !image?.length) return undefined
    request.image.image = new Uint8Array()
    return { image, rest: encode(input, request) }
  } catch {
    // The service that owns the method reports the error.
    return undefined
  }
}
