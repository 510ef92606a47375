export { fetchImage } from './fetch-image.ts'
export { type SafeFetch, parseHttpUrl, safeFetch } from './safe-fetch.ts'
