const token = "[\\w!#$%&'*+.^`|~-]+"
const form = new RegExp(`^${token}/${token}([ \\t]*;[ \\t]*${token}=(${token}|"[\\w !#-\\[\\]-~]*"))*$`)
const longest = 200

export function mediaType(given: string): string | undefined {
  const trimmed = given.trim()
  if (trimmed === '') return 'application/octet-stream'
  if (trimmed.length > longest || !form.test(trimmed)) return undefined
  return trimmed.replace(/^[^;]*/, (type) => type.trim().toLowerCase())
}

const bare = (contentType: string): string => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''

export const isVideo = (contentType: string): boolean => bare(contentType).startsWith('video/')

export const isPlayed = (contentType: string): boolean => /^(audio|video)\//.test(bare(contentType))

/** Such images are decoded at completion and available in other sizes. */
export const isDecodedImage = (contentType: string): boolean => /^image\/(jpe?g|png|gif|webp)$/.test(bare(contentType))

const harmless =
  /^(image\/(jpe?g|png|gif|webp|avif|bmp|heic|heif)|(audio|video)\/[\w.+-]+(?<!\+xml)|text\/plain|application\/pdf)$/

/** Whether a browser that opens such a file might run scripts in it: HTML, XML, SVG and unknown types. */
export const mayHoldScripts = (contentType: string): boolean => !harmless.test(bare(contentType))

const code = /^(text|application)\/(x-)?((java|ecma|j|live)script[\d.]*|css|wasm)$/

/** Scripts, style sheets and WebAssembly: a page that refers to the file executes or applies it. */
export const isCode = (contentType: string): boolean => code.test(bare(contentType))

export const isProcessedAsVideo = ({ contentType, animated }: { contentType: string; animated: boolean }): boolean =>
  contentType.startsWith('video/') || (contentType === 'image/gif' && animated)
