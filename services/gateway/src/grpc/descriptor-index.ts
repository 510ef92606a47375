import { toBinary, type DescExtension, type DescFile } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'

export class DescriptorIndex {
  readonly #files = new Map<string, DescFile>()
  readonly #bySymbol = new Map<string, DescFile>()
  readonly #messages = new Set<string>()
  readonly #extensions = new Map<string, DescExtension[]>()
  readonly #encoded = new Map<DescFile, Uint8Array>()

  constructor(files: readonly DescFile[]) {
    for (const file of files) {
      this.#files.set(file.proto.name, file)
      for (const type of nestedTypes(file)) {
        this.#bySymbol.set(type.typeName, file)
        if (type.kind === 'message') this.#messages.add(type.typeName)
        if (type.kind === 'extension') {
          const extendee = type.extendee.typeName
          this.#extensions.set(extendee, [...(this.#extensions.get(extendee) ?? []), type])
        }
      }
    }
  }

  file(name: string): DescFile | undefined {
    return this.#files.get(name)
  }

  fileOfSymbol(symbol: string): DescFile | undefined {
    const name = symbol.replace(/^\./, '')
    return this.#bySymbol.get(name) ?? this.#bySymbol.get(name.slice(0, Math.max(0, name.lastIndexOf('.'))))
  }

  fileOfExtension(type: string, number: number): DescFile | undefined {
    return this.#extensions.get(type)?.find((extension) => extension.number === number)?.file
  }

  extensionNumbers(type: string): number[] | undefined {
    const extensions = this.#extensions.get(type)
    if (!extensions && !this.#messages.has(type)) return undefined
    return (extensions ?? []).map((extension) => extension.number)
  }

  encodeWithImports(file: DescFile): Uint8Array[] {
    const all = new Set<DescFile>()
    const visit = (one: DescFile): void => {
      if (all.has(one)) return
      all.add(one)
      one.dependencies.forEach(visit)
    }
    visit(file)
    return [...all].map((one) => this.#encode(one))
  }

  #encode(file: DescFile): Uint8Array {
    let bytes = this.#encoded.get(file)
    if (!bytes) this.#encoded.set(file, (bytes = toBinary(FileDescriptorProtoSchema, file.proto)))
    return bytes
  }
}
