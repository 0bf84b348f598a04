// Renders the Helm chart without Helm, which is in neither npm nor Debian: with Go's text/template and Sprig, the two
// libraries that Helm's own engine consists of, and the functions that Helm adds to them.
// Usage: render-chart CHART RELEASE VALUES.yaml… prints every manifest.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(file string) []byte {
	text, err := os.ReadFile(file)
	check(err)
	return text
}

func readYaml(file string) object {
	values := object{}
	check(yaml.Unmarshal(read(file), &values))
	return values
}

// merge is what Helm does with values: maps are merged, null removes a key, everything else replaces.
func merge(base, over object) object {
	for key, value := range over {
		inner, isMap := value.(object)
		old, wasMap := base[key].(object)
		switch {
		case value == nil:
			delete(base, key)
		case isMap && wasMap:
			base[key] = merge(old, inner)
		default:
			base[key] = value
		}
	}
	return base
}

// files is .Files: everything of the chart except its templates.
type files map[string][]byte

func (f files) Get(name string) string { return string(f[name]) }

func (f files) Glob(pattern string) files {
	found := files{}
	for name, text := range f {
		if ok, _ := filepath.Match(pattern, name); ok {
			found[name] = text
		}
	}
	return found
}

func readFiles(chart string) files {
	found := files{}
	check(filepath.Walk(filepath.Join(chart, "files"), func(file string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			name, _ := filepath.Rel(chart, file)
			found[name] = read(file)
		}
		return err
	}))
	return found
}

func toYaml(value interface{}) string {
	text, err := yaml.Marshal(value)
	check(err)
	return strings.TrimSuffix(string(text), "\n")
}

func fromYaml(text string) object {
	value := object{}
	check(yaml.Unmarshal([]byte(text), &value))
	return value
}

func functions(all *template.Template) template.FuncMap {
	funcs := sprig.TxtFuncMap()
	delete(funcs, "env")
	delete(funcs, "expandenv")
	funcs["toYaml"] = toYaml
	funcs["fromYaml"] = fromYaml
	funcs["toJson"] = func(value interface{}) string {
		text, err := json.Marshal(value)
		check(err)
		return string(text)
	}
	funcs["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	funcs["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return value, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	return funcs
}

func main() {
	chart, release := os.Args[1], os.Args[2]
	values := readYaml(filepath.Join(chart, "values.yaml"))
	for _, file := range os.Args[3:] {
		values = merge(values, readYaml(file))
	}
	about := readYaml(filepath.Join(chart, "Chart.yaml"))
	data := object{
		"Values":  values,
		"Chart":   object{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]},
		"Release": object{"Name": release, "Namespace": "messaging", "Service": "Helm"},
		"Files":   readFiles(chart),
	}
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	names, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	sort.Strings(names)
	for _, name := range names {
		_, err := all.New(filepath.Base(name)).Parse(string(read(name)))
		check(err)
	}
	for _, name := range names {
		if base := filepath.Base(name); !strings.HasPrefix(base, "_") {
			var out bytes.Buffer
			check(all.ExecuteTemplate(&out, base, data))
			// As Helm does, for a value that is not set.
			text := strings.ReplaceAll(out.String(), "<no value>", "")
			if strings.HasSuffix(base, ".yaml") {
				fmt.Printf("---\n# Source: %s\n%s\n", base, text)
			} else {
				fmt.Fprint(os.Stderr, text)
			}
		}
	}
}
