{{/* Names, labels, and what all pods have in common. */}}

{{- define "longcode.name" -}}
{{- if contains "longcode" .Release.Name }}{{ .Release.Name | trunc 45 | trimSuffix "-" }}{{ else }}{{ printf "%s-longcode" .Release.Name | trunc 45 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "longcode.selector" -}}
app.kubernetes.io/name: longcode
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "longcode.labels" -}}
{{ include "longcode.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "longcode.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "longcode.secretName" -}}
{{ .Values.secret.existing | default (include "longcode.name" .) }}
{{- end }}

{{- define "longcode.secretData" -}}
DATABASE_URL: {{ required "Set secret.databaseUrl or secret.existing." .Values.secret.databaseUrl | quote }}
LONGCODE_OPERATOR_TOKEN: {{ required "Set secret.operatorToken or secret.existing." .Values.secret.operatorToken | quote }}
{{- range $name, $value := .Values.secret.extra }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "longcode.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "longcode.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "longcode.hasCarriers" -}}
{{- if or .Values.carriers.existingSecret .Values.carriers.content }}true{{ end }}
{{- end }}

{{- define "longcode.hasTrunks" -}}
{{- if or .Values.trunks.existingSecret .Values.trunks.content }}true{{ end }}
{{- end }}

{{/* Settings as environment variables, the same for pods and migrations. */}}
{{- define "longcode.env" -}}
- name: LONGCODE_MODE
  value: production
- name: HOST
  value: 0.0.0.0
- name: PORT
  value: "8080"
- name: LONGCODE_PUBLIC_URL
  value: {{ required "Set publicUrl, for example https://sms.example.com." .Values.publicUrl | quote }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
