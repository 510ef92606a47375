{{- /*
The prefix of all names: the release, and the chart unless the release contains its name. A digest replaces the end of a
long prefix, so that releases with the same beginning have different names.
*/}}
{{- define "parley.fullname" -}}
{{- $name := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) }}
{{- if le (len $name) 40 }}{{ $name }}
{{- else }}{{ $name | trunc 31 | trimSuffix "-" }}-{{ sha256sum $name | trunc 8 }}
{{- end }}
{{- end }}

{{- define "parley.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
{{- with .service }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- /*
Selects every pod with an internal port. Pods of the previous release, which still serve during an upgrade, have these labels
too; only pods of jobs and tests have no managed-by. Takes {root}.
*/}}
{{- define "parley.processes" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- /* Takes {root, service?}. */}}
{{- define "parley.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: parley
{{ include "parley.selector" . }}
{{- end }}

{{- /* Labels of pods without an internal port, which parley.processes must not select. Takes {root, service}. */}}
{{- define "parley.jobPodLabels" -}}
{{ omit (include "parley.labels" . | fromYaml) "app.kubernetes.io/managed-by" | toYaml }}
{{- end }}

{{- define "parley.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "parley.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "parley.fullname" .) }}
{{- else }}{{ .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{- /* The deployables as YAML: {name: {properties, values}}; `values` are the defaults with what the service says on top. */}}
{{- define "parley.services" -}}
{{- $root := . }}
{{- range $name, $properties := .Files.Get "files/services.yaml" | fromYaml }}
{{- $values := mergeOverwrite (deepCopy $root.Values.defaults) (index $root.Values.services $name | default dict) }}
{{ dict $name (dict "properties" $properties "values" $values) | toYaml }}
{{- end }}
{{- end }}

{{- /* The group of files/scaling.yaml that a deployable is in, as YAML. Takes {root, name}. */}}
{{- define "parley.scalingGroup" -}}
{{- $name := .name }}
{{- range (.root.Files.Get "files/scaling.yaml" | fromYaml).groups }}
{{- if has $name .deployables }}{{ toYaml . }}{{ end }}
{{- end }}
{{- end }}

{{- /* Not empty unless files are stored in a bucket. */}}
{{- define "parley.assetsOnDisk" -}}
{{- if ne (dig "core" "assets" "storage_backend" "disk" .Values.config) "s3" }}yes{{ end }}
{{- end }}

{{- /* Not empty if a video worker runs ffmpeg. */}}
{{- define "parley.videoWorker" -}}
{{- if and .Values.videoWorker.enabled (dig "video" "enabled" false .Values.config) }}yes{{ end }}
{{- end }}

{{- /* Name of the PriorityClass of a pod; empty: none. Takes {root, given, class}. */}}
{{- define "parley.priorityClass" -}}
{{- if .given }}{{ .given }}
{{- else if .root.Values.priorityClasses.create }}{{ include "parley.fullname" .root }}-{{ .class }}
{{- end }}
{{- end }}

{{- define "parley.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "parley.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /* One variable that comes from a secret. Takes {name, from: {existingSecret, key}}. */}}
{{- define "parley.secretVariable" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .from.existingSecret | quote }}, key: {{ .from.key | quote }} } }
{{- end }}

{{- define "parley.authorityMount" -}}
{{- if (.Values.certificateAuthority).existingSecret }}
- { name: certificate-authority, mountPath: /etc/parley-ca, readOnly: true }
{{- end }}
{{- end }}

{{- define "parley.authorityVolume" -}}
{{- with .Values.certificateAuthority }}
{{- if .existingSecret }}
- name: certificate-authority
  secret: { secretName: {{ .existingSecret | quote }}, items: [{ key: {{ .key | quote }}, path: ca.crt }] }
{{- end }}
{{- end }}
{{- end }}

{{- /* The environment of a process. Takes {root, name, service: {properties, values}, migration}. */}}
{{- define "parley.env" -}}
{{- $root := .root }}
{{- $properties := .service.properties }}
{{- $values := .service.values }}
{{- $secrets := $root.Values.secrets }}
{{- $given := dict
  "PARLEY_SERVICE" .name
  "PARLEY_NATS_URL" $root.Values.nats.url
  "PARLEY_NATS_USER" .name
  "PARLEY_INTERNAL_HOST" "0.0.0.0"
  "PARLEY_INTERNAL_PORT" "9090"
  "PARLEY_DRAIN_TIMEOUT" (printf "%ds" (int $root.Values.drain.timeout))
}}
{{- if $properties.url }}{{ $_ := set $given "PARLEY_WEBSERVER_URL" $root.Values.url }}{{ end }}
{{- if $properties.assets }}{{ $_ := set $given "PARLEY_CORE_ASSETS_DIRECTORY" "/var/lib/parley/assets" }}{{ end }}
{{- if and $properties.trustsProxies (include "parley.routed" $root) (not (dig "webserver" "trusted_proxies" list $root.Values.config)) }}
{{- $proxies := list }}
{{- range $way, $what := dict "ingress" "ingress controller" "gatewayApi" "Gateway" }}
{{- with index $root.Values $way }}
{{- if .enabled }}
{{- if not .trustedProxies }}{{ fail (printf "%s.trustedProxies: is missing: the addresses or networks of the %s's pods, such as [10.244.0.0/16]" $way $what) }}{{ end }}
{{- $proxies = concat $proxies .trustedProxies }}
{{- end }}
{{- end }}
{{- end }}
{{- $_ := set $given "PARLEY_WEBSERVER_TRUSTED_PROXIES" (uniq $proxies | join ",") }}
{{- end }}
{{- if eq .name "gateway" }}
{{- $uploads := (.root.Files.Get "files/services.yaml" | fromYaml).uploads.port.number }}
{{- $_ := set $given "PARLEY_GATEWAY_UPLOADS_URLS" (printf "http://%s-uploads:%v" (include "parley.fullname" $root) $uploads) }}
{{- end }}
{{- if and (eq .name "uploads") (include "parley.videoWorker" $root) }}
{{- $_ := set $given "PARLEY_VIDEO_WORKER_URLS" (printf "http://%s-video-worker:8084" (include "parley.fullname" $root)) }}
{{- end }}
{{- with $properties.port }}{{ $_ := set $given .env (toString .number) }}{{ end }}
{{- if eq .name "realtime" }}
{{- $_ := set $given "PARLEY_REALTIME_DRAIN_WINDOW" (printf "%ds" (int $root.Values.drain.socketsWindow)) }}
{{- end }}
{{- if and (eq .name "gateway") (not (include "parley.routed" $root)) }}
{{- range $other, $service := include "parley.services" $root | fromYaml }}
{{- with $service.properties.listedAs }}
{{- $_ := set $given . (printf "http://%s-%s:%v" (include "parley.fullname" $root) $other $service.properties.port.number) }}
{{- end }}
{{- end }}
{{- end }}
{{- if ($root.Values.certificateAuthority).existingSecret }}{{ $_ := set $given "NODE_EXTRA_CA_CERTS" "/etc/parley-ca/ca.crt" }}{{ end }}
{{- if not .migration }}{{ $_ := set $given "PARLEY_CONFIG_FILE" "/etc/parley/parley.toml" }}{{ end }}
{{- range $name, $value := mergeOverwrite $given (deepCopy $root.Values.env) $values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- $natsPassword := $values.natsPassword | default (dict "existingSecret" $secrets.natsPasswords.existingSecret "key" .name) }}
{{ include "parley.secretVariable" (dict "name" "PARLEY_NATS_PASSWORD" "from" $natsPassword) }}
{{- if $properties.database }}
{{- $url := $values.databaseUrl | default (dict "existingSecret" $secrets.databaseUrls.existingSecret "key" .name) }}
{{- if and .migration $secrets.migrationDatabaseUrls.existingSecret }}
{{- $url = dict "existingSecret" $secrets.migrationDatabaseUrls.existingSecret "key" .name }}
{{- end }}
{{ include "parley.secretVariable" (dict "name" (printf "PARLEY_%s_DATABASE_URL" (upper .name)) "from" $url) }}
{{- end }}
{{- range $name, $secret := $properties.secrets }}
{{ include "parley.secretVariable" (dict "name" $name "from" (index $secrets $secret)) }}
{{- end }}
{{- range $name, $from := $values.secretEnv }}
{{ include "parley.secretVariable" (dict "name" $name "from" $from) }}
{{- end }}
{{- end }}
