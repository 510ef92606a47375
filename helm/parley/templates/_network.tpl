{{- /* Not empty if an ingress or a Gateway sends paths directly to their deployables. */}}
{{- define "parley.routed" -}}
{{- if or .Values.ingress.enabled .Values.gatewayApi.enabled }}yes{{ end }}
{{- end }}

{{- /* The host of url for an ingress or a route, which take names in small letters and no addresses. */}}
{{- define "parley.host" -}}
{{- $host := regexReplaceAll ":[0-9]*$" (urlParse .Values.url).host "" | lower }}
{{- if regexMatch "^[0-9.]+$|^\\[" $host }}
{{- fail (printf "url: %s is an address; an ingress or a route of a Gateway needs a host name, such as https://chat.example.org" .Values.url) }}
{{- end }}
{{- $host }}
{{- end }}

{{- /* A rule for the internal port: the value internalFrom, helm test and admin, or every pod of the cluster. */}}
{{- define "parley.internalIngress" -}}
- ports: [{ port: internal }]
  from:
    {{- with .Values.networkPolicy.internalFrom }}
    {{- toYaml . | nindent 4 }}
    # helm test
    - podSelector:
        matchLabels:
          {{- include "parley.selector" (dict "root" $ "service" "test-proxies") | nindent 10 }}
    # parley status, which is run in a pod of admin
    - podSelector:
        matchLabels:
          {{- include "parley.selector" (dict "root" $ "service" "admin") | nindent 10 }}
    {{- else }}
    - namespaceSelector: {}
    {{- end }}
{{- end }}

{{- /* Names in networkPolicy.egress of what a deployable connects to, as YAML. Takes {root, service: {properties, values}}. */}}
{{- define "parley.dependencies" -}}
{{- $egress := .root.Values.networkPolicy.egress }}
{{- $found := list "dns" "nats" }}
{{- if .service.properties.database }}{{ $found = append $found "database" }}{{ end }}
{{- if hasKey (.service.properties.secrets | default dict) "PARLEY_REDIS_URL" }}{{ $found = append $found "redis" }}{{ end }}
{{- $used := include "parley.egressUsed" .root | fromYamlArray }}
{{- range .service.properties.reaches }}
{{- if or (has . $used) (index $egress .) }}{{ $found = append $found . }}{{ end }}
{{- end }}
{{- range $variable, $_ := merge (dict) .root.Values.env .service.values.env .service.values.secretEnv }}
{{- if regexMatch "^OTEL_EXPORTER_OTLP_([A-Z]+_)?ENDPOINT$" $variable }}{{ $found = append $found "collector" }}{{ end }}
{{- end }}
{{- uniq $found | toYaml }}
{{- end }}

{{- /* Names in networkPolicy.egress that the configuration makes necessary, as YAML. */}}
{{- define "parley.egressUsed" -}}
{{- $used := list "dns" "database" "nats" "redis" "internet" }}
{{- if not (include "parley.assetsOnDisk" .) }}{{ $used = append $used "storage" }}{{ end }}
{{- if dig "livekit" "enabled" false .Values.config }}{{ $used = append $used "media" }}{{ end }}
{{- if dig "smtp" "enabled" false .Values.config }}{{ $used = append $used "mail" }}{{ end }}
{{- toYaml $used }}
{{- end }}

{{- /* Refuses egress policies that would cut a deployable off from what it needs. */}}
{{- define "parley.checkEgress" -}}
{{- $root := . }}
{{- $egress := .Values.networkPolicy.egress }}
{{- if $egress.enabled }}
{{- $needed := include "parley.egressUsed" . | fromYamlArray }}
{{- range $name, $service := include "parley.services" . | fromYaml }}
{{- $needed = concat $needed (include "parley.dependencies" (dict "root" $root "service" $service) | fromYamlArray) }}
{{- end }}
{{- $missing := list }}
{{- range uniq $needed }}{{ if not (index $egress .) }}{{ $missing = append $missing . }}{{ end }}{{ end }}
{{- if $missing }}
{{- fail (printf "networkPolicy.egress: no addresses are given for %s; each is a list of NetworkPolicyPeer, such as %s: [{ ipBlock: { cidr: 10.0.3.7/32 } }]" (join ", " $missing) (first $missing)) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Rules for outgoing connections. Takes {root, to: names in networkPolicy.egress}. */}}
{{- define "parley.egressTo" -}}
{{- $egress := .root.Values.networkPolicy.egress }}
{{- range .to }}
# {{ . }}
- to:
    {{- toYaml (index $egress .) | nindent 4 }}
  {{- if eq . "dns" }}
  ports:
    {{- range $egress.dnsPorts }}
    - { port: {{ . }}, protocol: UDP }
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
