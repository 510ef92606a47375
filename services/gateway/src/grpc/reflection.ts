import { create, fromBinary, toBinary, type DescFile, type MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter } from '@connectrpc/connect'
import { publicFiles, publicServices } from '@parley/contracts/catalogue'
import { v1, v1alpha } from '@parley/contracts/reflection'
import { DescriptorIndex } from './descriptor-index.ts'

type Answer = NonNullable<MessageInitShape<typeof v1.ServerReflectionResponseSchema>['messageResponse']>

const readMaxBytes = 16 * 1024
const grpcNotFound = 5
const grpcInvalidArgument = 3

const error = (errorCode: number, errorMessage: string): Answer => ({
  case: 'errorResponse',
  value: { errorCode, errorMessage },
})

export function registerReflection(router: ConnectRouter): void {
  const index = new DescriptorIndex(publicFiles)
  const services = publicServices.map(({ typeName }) => ({ name: typeName })).sort((a, b) => (a.name < b.name ? -1 : 1))

  const files = (file: DescFile | undefined, what: string): Answer =>
    file
      ? { case: 'fileDescriptorResponse', value: { fileDescriptorProto: index.encodeWithImports(file) } }
      : error(grpcNotFound, `${what} not found`)

  const answer = ({ messageRequest: query }: v1.ServerReflectionRequest): Answer => {
    switch (query.case) {
      case 'listServices':
        return { case: 'listServicesResponse', value: { service: services } }
      case 'fileByFilename':
        return files(index.file(query.value), query.value)
      case 'fileContainingSymbol':
        return files(index.fileOfSymbol(query.value), query.value)
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = query.value
        return files(index.fileOfExtension(containingType, extensionNumber), `${containingType}/${extensionNumber}`)
      }
      case 'allExtensionNumbersOfType': {
        const extensionNumber = index.extensionNumbers(query.value)
        return extensionNumber
          ? { case: 'allExtensionNumbersResponse', value: { baseTypeName: query.value, extensionNumber } }
          : error(grpcNotFound, `${query.value} not found`)
      }
      case undefined:
        return error(grpcInvalidArgument, 'the request contains no supported query')
    }
  }

  async function* reflect(requests: AsyncIterable<v1.ServerReflectionRequest>) {
    for await (const request of requests)
      yield create(v1.ServerReflectionResponseSchema, {
        validHost: request.host,
        originalRequest: request,
        messageResponse: answer(request),
      })
  }

  router.service(v1.ServerReflection, { serverReflectionInfo: reflect }, { readMaxBytes })
  // The older version differs only in its name, so the newer messages are reused.
  const older = {
    async *serverReflectionInfo(requests: AsyncIterable<v1alpha.ServerReflectionRequest>) {
      async function* renamed() {
        for await (const request of requests)
          yield fromBinary(v1.ServerReflectionRequestSchema, toBinary(v1alpha.ServerReflectionRequestSchema, request))
      }
      for await (const response of reflect(renamed()))
        yield fromBinary(v1alpha.ServerReflectionResponseSchema, toBinary(v1.ServerReflectionResponseSchema, response))
    },
  }
  router.service(v1alpha.ServerReflection, older, { readMaxBytes })
}
