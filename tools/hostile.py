#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/hostile: small broken or hostile ONNX files and the status each must end in.

The manifest has one line per file: `name stage:STATUS`, where stage says how far the file gets: `load` (refused by
gig_model_load), `network` (loaded, and this is the status of gig_network_create), `run` (of the first evaluation).
Same script, same bytes: run it again after a change and commit what it writes. Needs Debian's python3-onnx.
"""
import os
import struct
import sys

import numpy as np
import onnx
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "hostile")
F = TensorProto.FLOAT
cases = []


def case(name, expected, data):
    if isinstance(data, ModelProto):
        data = data.SerializeToString(deterministic=True)
    assert name not in [c[0] for c in cases], name
    cases.append((name, expected, data))


def value(name, dims=(1, 4), kind=F):
    return helper.make_tensor_value_info(name, kind, dims)


def raw(name, dims, kind, data):
    """A TensorProto of any shape, whatever its data say."""
    tensor = TensorProto(name=name, data_type=kind)
    tensor.dims.extend(dims)
    tensor.raw_data = data
    return tensor


def array(name, values, dtype=np.float32):
    return numpy_helper.from_array(np.asarray(values, dtype), name)


def graph(nodes, inputs=None, outputs=None, weights=(), infos=()):
    inputs = [value("x")] if inputs is None else inputs
    outputs = [value("y", None)] if outputs is None else outputs
    return helper.make_graph(nodes, "g", inputs, outputs, initializer=list(weights), value_info=list(infos))


def model(nodes, inputs=None, outputs=None, weights=(), infos=(), opset=13, ir=7):
    made = helper.make_model(graph(nodes, inputs, outputs, weights, infos),
                             opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = ir
    made.producer_name = ""
    return made


def relu():
    return helper.make_node("Relu", ["x"], ["y"])


def with_weight(tensor):
    return model([helper.make_node("Add", ["x", "w"], ["y"])], weights=[tensor])


def with_constant(tensor):
    node = helper.make_node("Constant", [], ["w"])
    node.attribute.add(name="value", type=AttributeProto.TENSOR).t.CopyFrom(tensor)
    return model([node, helper.make_node("Add", ["x", "w"], ["y"])])


# ---- the wire itself ----

def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def nested(depth):
    """`depth` messages inside each other: model, then graph, node, attribute in turn."""
    body, kinds = b"", [7, 1, 5, 6]  # ModelProto.graph, GraphProto.node, NodeProto.attribute, AttributeProto.g
    for level in range(depth - 1, 0, -1):
        place = level - 1
        number = kinds[0] if place == 0 else kinds[1 + (place - 1) % 3]
        body = field(number, body)
    return varint(1 << 3) + varint(7) + body


def wire_cases():
    sound = model([relu()]).SerializeToString(deterministic=True)
    case("empty", "load:GIG_EFORMAT", b"")
    case("one_byte", "load:GIG_EFORMAT", b"\x08")
    case("text", "load:GIG_EFORMAT", b"<!DOCTYPE html>\n<html></html>\n")
    case("zeros", "load:GIG_EFORMAT", bytes(64))
    case("ones", "load:GIG_EFORMAT", b"\xff" * 64)
    case("group", "load:GIG_EFORMAT", sound + b"\x0b\x0c")
    case("length_beyond_end", "load:GIG_EFORMAT", sound + varint(7 << 3 | 2) + varint(1000))
    case("length_2_63", "load:GIG_EFORMAT", sound + varint(14 << 3 | 2) + varint(1 << 63))
    case("varint_of_11_bytes", "load:GIG_EFORMAT", sound + b"\x28" + b"\xff" * 11)
    case("field_number_0", "load:GIG_EFORMAT", sound + b"\x02\x00")
    case("field_number_2_40", "load:GIG_EFORMAT", sound + varint(1 << 40) + b"\x00")
    case("graph_as_number", "load:GIG_EFORMAT", b"\x08\x07" + varint(7 << 3) + b"\x01")
    case("graph_twice", "load:GIG_EFORMAT", sound + field(7, b""))
    case("ir_version_as_bytes", "load:GIG_EFORMAT", field(1, b"\x07"))
    case("unknown_fields", "network:GIG_OK", sound + field(1000, b"abc") + varint(2000 << 3) + b"\x05")
    case("depth_101", "load:GIG_ELIMIT", nested(101))
    case("depth_3000", "load:GIG_ELIMIT", nested(3000))
    case("cut_in_half", "load:GIG_EFORMAT", sound[: len(sound) // 2])


# ---- versions ----

def version_cases():
    bare = ModelProto(ir_version=7)
    case("no_graph", "load:GIG_EFORMAT", bare)
    for ir, status in [(-1, "GIG_EFORMAT"), (0, "GIG_EFORMAT"), (2, "GIG_EUNSUPPORTED"), (14, "GIG_EUNSUPPORTED"),
                       (2 ** 62, "GIG_EUNSUPPORTED")]:
        case("ir_%s" % str(ir).replace("-", "minus_"), "load:" + status, model([relu()], ir=ir))
    absent = model([relu()])
    absent.ClearField("ir_version")
    case("ir_absent", "load:GIG_EFORMAT", absent)
    for opset, status in [(-5, "GIG_EFORMAT"), (0, "GIG_EFORMAT"), (27, "GIG_EUNSUPPORTED"), (99, "GIG_EUNSUPPORTED"),
                          (2 ** 40, "GIG_EFORMAT")]:
        case("opset_%s" % str(opset).replace("-", "minus_"), "load:" + status, model([relu()], opset=opset))
    none = model([relu()])
    del none.opset_import[:]
    case("opset_absent", "load:GIG_EFORMAT", none)
    two = model([relu()])
    two.opset_import.add(domain="ai.onnx", version=12)
    case("opset_two_versions", "load:GIG_EFORMAT", two)
    many = model([relu()])
    for i in range(100):
        many.opset_import.add(domain="d%d" % i, version=1)
    case("opset_100_domains", "load:GIG_ELIMIT", many)


# ---- sizes ----

def size_cases():
    both = array("w", [1, 2, 3, 4])
    both.float_data.append(1)
    missing = TensorProto(name="w", data_type=F, dims=[4])
    wrong_list = TensorProto(name="w", data_type=TensorProto.INT64, dims=[2], float_data=[1, 2])
    two_lists = TensorProto(name="w", data_type=F, dims=[1], float_data=[1], int32_data=[1])
    segment = array("w", [1, 2, 3, 4])
    segment.segment.begin, segment.segment.end = 0, 4
    unused = array("w", [1, 2, 3, 4])
    unused.external_data.add(key="location", value="w.bin")
    placeless = TensorProto(name="w", data_type=F, dims=[4], data_location=TensorProto.EXTERNAL)
    doubly = array("w", [1, 2, 3, 4])
    doubly.data_location = TensorProto.EXTERNAL
    doubly.external_data.add(key="location", value="w.bin")
    rows = [
        ("dims_2_62_by_4", "GIG_ELIMIT", raw("w", [2 ** 62, 4], F, b"")),
        ("dims_2_32_by_2_32", "GIG_ELIMIT", raw("w", [2 ** 32, 2 ** 32], F, b"")),
        ("dims_2_31_2_31_2_2", "GIG_ELIMIT", raw("w", [2 ** 31, 2 ** 31, 2, 2], F, b"")),
        ("dims_2_30_plus_1", "GIG_ELIMIT", raw("w", [2 ** 30 + 1], F, b"")),
        ("dims_0_by_2_62", "GIG_ELIMIT", raw("w", [0, 2 ** 62, 4], F, b"")),
        ("dims_int64_min", "GIG_EFORMAT", raw("w", [-(2 ** 63)], F, b"")),
        ("dims_minus_1", "GIG_EFORMAT", raw("w", [-1], F, b"\0" * 4)),
        ("dims_two_negative", "GIG_EFORMAT", raw("w", [-2, -2], F, b"\0" * 16)),
        ("dims_0_with_data", "GIG_EFORMAT", raw("w", [0], F, b"\0" * 4)),
        ("rank_9", "GIG_ELIMIT", raw("w", [1] * 9, F, b"\0" * 4)),
        ("rank_1000", "GIG_ELIMIT", raw("w", [1] * 1000, F, b"\0" * 4)),
        ("raw_short", "GIG_EFORMAT", raw("w", [4], F, b"\0" * 15)),
        ("raw_long", "GIG_EFORMAT", raw("w", [4], F, b"\0" * 17)),
        ("raw_and_list", "GIG_EFORMAT", both),
        ("no_values", "GIG_EFORMAT", missing),
        ("list_short", "GIG_EFORMAT", TensorProto(name="w", data_type=F, dims=[4], float_data=[1, 2, 3])),
        ("list_long", "GIG_EFORMAT", TensorProto(name="w", data_type=F, dims=[1], float_data=[1, 2, 3])),
        ("list_of_another_type", "GIG_EFORMAT", wrong_list),
        ("two_lists", "GIG_EFORMAT", two_lists),
        ("type_0", "GIG_EFORMAT", raw("w", [1], 0, b"\0" * 4)),
        ("type_minus_1", "GIG_EFORMAT", raw("w", [1], -1, b"\0" * 4)),
        ("type_99", "GIG_EUNSUPPORTED", raw("w", [1], 99, b"\0" * 4)),
        ("type_string", "GIG_EUNSUPPORTED", helper.make_tensor("w", TensorProto.STRING, [1], [b"a"])),
        ("type_complex", "GIG_EUNSUPPORTED", raw("w", [1], TensorProto.COMPLEX64, b"\0" * 8)),
        ("int8_of_300", "GIG_EFORMAT", TensorProto(name="w", data_type=3, dims=[1], int32_data=[300])),
        ("bool_of_2", "GIG_EFORMAT", TensorProto(name="w", data_type=9, dims=[1], int32_data=[2])),
        ("half_of_70000", "GIG_EFORMAT", TensorProto(name="w", data_type=10, dims=[1], int32_data=[70000])),
        ("uint32_of_2_40", "GIG_EFORMAT", TensorProto(name="w", data_type=12, dims=[1], uint64_data=[2 ** 40])),
        ("uint64_of_2_63", "GIG_EUNSUPPORTED", raw("w", [1], 13, struct.pack("<Q", 2 ** 63))),
        ("uint64_list_2_63", "GIG_EUNSUPPORTED", TensorProto(name="w", data_type=13, dims=[1], uint64_data=[2 ** 63])),
        ("segment", "GIG_EUNSUPPORTED", segment),
        ("external_named_not_used", "GIG_EFORMAT", unused),
        ("external_without_location", "GIG_EFORMAT", placeless),
        ("external_and_raw", "GIG_EFORMAT", doubly),
    ]
    for name, status, tensor in rows:
        case("weight_" + name, "load:" + status, with_weight(tensor))
        case("constant_" + name, "load:" + status, with_constant(tensor))
    case("weight_rank_0_without_data", "load:GIG_EFORMAT", with_weight(TensorProto(name="w", data_type=F)))


# ---- graphs ----

def graph_cases():
    node = helper.make_node
    case("no_output", "load:GIG_EFORMAT", model([relu()], outputs=[]))
    case("output_not_made", "load:GIG_EFORMAT", model([relu()], outputs=[value("z")]))
    case("output_without_name", "load:GIG_EFORMAT", model([relu()], outputs=[value("")]))
    case("input_not_made", "load:GIG_EFORMAT", model([node("Add", ["x", "q"], ["y"])]))
    case("input_only_declared", "load:GIG_EFORMAT", model([node("Add", ["x", "q"], ["y"])], infos=[value("q")]))
    case("input_without_name", "load:GIG_EFORMAT", model([relu()], inputs=[value("x"), value("")]))
    case("cycle", "load:GIG_EFORMAT", model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]),
                                             node("Relu", ["b"], ["y"])]))
    case("self_edge", "load:GIG_EFORMAT", model([node("Add", ["x", "y"], ["y"])]))
    case("two_nodes_make_one", "load:GIG_EFORMAT", model([relu(), node("Neg", ["x"], ["y"])]))
    case("one_node_makes_twice", "load:GIG_EFORMAT", model([node("Split", ["x"], ["y", "y"])]))
    case("node_makes_input", "load:GIG_EFORMAT", model([node("Relu", ["x"], ["x"])], outputs=[value("x")]))
    case("node_makes_weight", "load:GIG_EFORMAT", model([relu()], weights=[array("y", [1])]))
    case("weight_twice", "load:GIG_EFORMAT", model([node("Add", ["x", "w"], ["y"])],
                                                   weights=[array("w", [1]), array("w", [2])]))
    case("weight_without_name", "load:GIG_EFORMAT", model([relu()], weights=[array("", [1])]))
    case("input_twice", "load:GIG_EFORMAT", model([relu()], inputs=[value("x"), value("x")]))
    case("weight_listed_twice", "load:GIG_EFORMAT",
         model([node("Add", ["x", "w"], ["y"])], inputs=[value("x"), value("w"), value("w")],
               weights=[array("w", [1])]))
    case("node_without_operator", "load:GIG_EFORMAT", model([node("", ["x"], ["y"])]))
    case("empty_node", "load:GIG_EFORMAT", model([relu(), onnx.NodeProto()]))
    case("name_of_5000_bytes", "load:GIG_ELIMIT", model([node("Relu", ["x"], ["y"], name="n" * 5000)]))
    case("operator_of_5000_bytes", "load:GIG_ELIMIT", model([node("R" * 5000, ["x"], ["y"])]))
    sound = model([node("Relu", ["x"], ["y"], name="NAME")]).SerializeToString(deterministic=True)
    case("name_with_nul", "load:GIG_EFORMAT", sound.replace(b"NAME", b"N\0ME"))
    case("name_not_utf8", "load:GIG_EFORMAT", sound.replace(b"NAME", b"N\xff\xfeE"))
    case("name_overlong_utf8", "load:GIG_EFORMAT", sound.replace(b"NAME", b"N\xc0\x80E"))
    case("name_surrogate", "load:GIG_EFORMAT", sound.replace(b"NAME", b"\xed\xa0\x80E"))
    case("name_with_newline", "network:GIG_OK", sound.replace(b"NAME", b"N\n\x1bE"))
    sparse = model([node("Add", ["x", "w"], ["y"])])
    made = sparse.graph.sparse_initializer.add(dims=[4])
    made.values.CopyFrom(array("w", [1]))
    made.indices.CopyFrom(array("i", [0], np.int64))
    case("sparse_initializer", "load:GIG_EUNSUPPORTED", sparse)


def type_cases():
    sequence = helper.make_tensor_sequence_value_info("x", F, None)
    case("input_sequence", "load:GIG_EUNSUPPORTED", model([relu()], inputs=[sequence]))
    case("input_text", "load:GIG_EUNSUPPORTED", model([relu()], inputs=[value("x", [1], TensorProto.STRING)]))
    case("input_type_99", "load:GIG_EUNSUPPORTED", model([relu()], inputs=[value("x", [1], 99)]))
    case("input_rank_9", "load:GIG_ELIMIT", model([relu()], inputs=[value("x", [1] * 9)]))
    case("input_dim_minus_5", "load:GIG_EFORMAT", model([relu()], inputs=[value("x", [-5])]))
    case("input_dim_int64_min", "load:GIG_EFORMAT", model([relu()], inputs=[value("x", [1, -(2 ** 63)])]))
    case("input_2_62_by_4", "network:GIG_ELIMIT", model([relu()], inputs=[value("x", [1, 2 ** 62, 4])]))
    case("input_of_10_12", "network:GIG_ELIMIT", model([relu()], inputs=[value("x", [1, 10 ** 12])]))
    case("output_map", "load:GIG_EUNSUPPORTED", output_map())
    case("info_rank_9", "load:GIG_ELIMIT",
         model([helper.make_node("Relu", ["x"], ["h"]), helper.make_node("Relu", ["h"], ["y"])],
               infos=[value("h", [1] * 9)]))


def output_map():
    made = model([relu()])
    made.graph.output[0].type.ClearField("tensor_type")
    made.graph.output[0].type.map_type.key_type = TensorProto.INT64
    made.graph.output[0].type.map_type.value_type.tensor_type.elem_type = F
    return made


def attribute_model(**fields):
    node = relu()
    node.attribute.add(**fields)
    return model([node])


def attribute_cases():
    twice = relu()
    twice.attribute.add(name="a", type=AttributeProto.INT, i=1)
    twice.attribute.add(name="a", type=AttributeProto.INT, i=2)
    many = relu()
    for i in range(300):
        many.attribute.add(name="a%d" % i, type=AttributeProto.INT, i=i)
    case("attribute_twice", "load:GIG_EFORMAT", model([twice]))
    case("attribute_300", "load:GIG_ELIMIT", model([many]))
    case("attribute_without_name", "load:GIG_EFORMAT", attribute_model(type=AttributeProto.INT, i=1))
    case("attribute_reference", "load:GIG_EFORMAT", attribute_model(name="a", ref_attr_name="b"))
    case("attribute_without_tensor", "load:GIG_EFORMAT", attribute_model(name="a", type=AttributeProto.TENSOR))
    case("attribute_text_with_nul", "load:GIG_EFORMAT", attribute_model(name="a", type=AttributeProto.STRING,
                                                                        s=b"a\0b"))


def nested_if(depth):
    inner = graph([helper.make_node("Relu", ["x"], ["y"])], inputs=[])
    for _ in range(depth):
        condition = helper.make_node("Constant", [], ["c"], value=array("", True, np.bool_))
        branch = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner if _ < 3 else graph([relu()], []))
        inner = graph([condition, branch], inputs=[])
    made = model([relu()])
    made.graph.CopyFrom(inner)
    made.graph.input.add().CopyFrom(value("x"))
    return made


def operator_cases():
    node = helper.make_node
    broken, unsupported = "network:GIG_EFORMAT", "network:GIG_EUNSUPPORTED"
    case("unknown_operator", unsupported, model([node("Frobnicate", ["x"], ["y"])]))
    case("unknown_domain", unsupported, model([node("Relu", ["x"], ["y"], domain="com.example")]))
    case("loop", broken, model([node("Loop", ["", "", "x"], ["y"], body=graph([relu()]))]))
    case("scan", "network:GIG_OK", model([node("Scan", ["x"], ["y"], body=graph([relu()]), num_scan_inputs=1)]))
    case("nested_if_20", "network:GIG_OK", nested_if(20))
    case("depth_98", "network:GIG_OK", nested_if(31))


# ---- functions of the file ----

def call(op="F", inputs=("x",), outputs=("y",), **attributes):
    return helper.make_node(op, list(inputs), list(outputs), domain="local", **attributes)


def function(nodes, name="F", inputs=("x",), outputs=("y",), attributes=(), opset=13, domain="local"):
    imports = [helper.make_opsetid("", opset)] if opset else []
    return helper.make_function(domain, name, inputs, outputs, nodes, imports, attributes)


def calling(functions, node=None, ir=10):
    made = model([node if node else call()], ir=ir)
    made.opset_import.add(domain="local", version=1)
    made.functions.extend(functions)
    return made


def with_field(message, number, body):
    """The message with a field that Debian's onnx.proto does not know."""
    message.MergeFromString(field(number, body))
    return message


def doubling(levels, times, leaf):
    """F calls F1 several times, F1 calls F2 several times, and so on down to the leaf."""
    made = []
    for level in range(levels):
        inside = "F%d" % (level + 1)
        nodes = [call(inside, ["x"] if i == 0 else ["h%d" % (i - 1)], ["h%d" % i if i < times - 1 else "y"])
                 for i in range(times)]
        made.append(function(nodes, "F%d" % level if level else "F"))
    leaf.name = "F%d" % levels
    return calling(made + [leaf])


def nothing(levels, times):
    """The same with functions that have no output and no nodes but calls."""
    made = [function([call("F%d" % (level + 1), [], [])] * times, "F%d" % level if level else "F", [], [])
            for level in range(levels)]
    result = calling(made + [function([], "F%d" % levels, [], [])], call(inputs=[], outputs=[]))
    result.graph.node.add().CopyFrom(relu())
    return result


def referring(name="alpha", kind=AttributeProto.FLOAT, wanted="slope"):
    node = helper.make_node("LeakyRelu", ["x"], ["y"])
    node.attribute.add(name=name, type=kind, ref_attr_name=wanted)
    return node


def function_cases():
    node = helper.make_node
    broken, limit, fine = "load:GIG_EFORMAT", "load:GIG_ELIMIT", "network:GIG_OK"
    case("function", fine, calling([function([relu()])], ir=8))
    case("function_not_called", fine, model_with_function())
    case("function_calls_itself", broken, calling([function([call()])]))
    case("functions_that_call_each_other", broken, calling([function([call("G")]), function([call()], "G")]))
    case("functions_in_a_ring_of_60", broken,
         calling([function([call("F%d" % ((i + 1) % 60) if i < 59 else "F")], "F%d" % i if i else "F")
                  for i in range(60)]))
    case("functions_nest_100", fine, doubling(99, 1, function([relu()])))
    case("functions_nest_101", limit, doubling(100, 1, function([relu()])))
    case("functions_double_60_times", limit, doubling(60, 2, function([relu()])))
    case("functions_times_ten_20_times", limit, doubling(20, 10, function([relu()])))
    case("functions_of_nothing_60_times", limit, nothing(60, 2))
    many = model([relu()], ir=8)
    for i in range(4200):
        many.functions.add(name="f%d" % i)
    case("functions_4200", limit, many)
    case("function_twice", broken, calling([function([relu()]), function([relu()])]))
    case("function_without_name", broken, calling([function([relu()]), function([relu()], "")]))
    case("function_name_of_5000_bytes", limit, calling([function([relu()], "F" * 5000)], call("F" * 5000)))
    case("function_value_name_of_4092_bytes", limit,
         calling([function([node("Relu", ["x"], ["h" * 4092]), node("Relu", ["h" * 4092], ["y"])])]))
    case("function_in_onnx_domain", fine, onnx_domain())
    case("function_takes_1_input", broken, calling([function([relu()])], call(inputs=["x", "x"])))
    case("function_has_1_output", broken, calling([function([relu()])], call(outputs=["y", "z"])))
    case("function_input_twice", broken, calling([function([relu()], inputs=["x", "x"])]))
    case("function_output_twice", broken, calling([function([relu()], outputs=["y", "y"])]))
    case("function_output_is_input", broken, calling([function([], outputs=["x"])]))
    case("function_output_not_made", broken, calling([function([node("Relu", ["x"], ["z"])])]))
    case("function_output_made_twice", broken, calling([function([relu(), relu()])]))
    case("function_input_without_name", broken, calling([function([relu()], inputs=["x", ""])]))
    case("function_node_makes_input", broken, calling([function([relu(), node("Relu", ["y"], ["x"])])]))
    case("function_value_made_twice", broken,
         calling([function([relu(), node("Relu", ["x"], ["h"]), node("Neg", ["x"], ["h"])])]))
    case("function_reads_the_graph", broken,
         calling([function([node("Add", ["a", "x"], ["y"])], inputs=["a"])]))
    case("function_with_cycle", broken,
         calling([function([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])])]))
    case("function_without_operator", broken, calling([function([node("", ["x"], ["y"])])]))
    case("function_with_unknown_operator", "network:GIG_EUNSUPPORTED",
         calling([function([node("Frobnicate", ["x"], ["y"])])]))
    case("function_without_opset", broken, calling([function([relu()], opset=0)]))
    case("function_opset_99", "load:GIG_EUNSUPPORTED", calling([function([relu()], opset=99)]))
    imports = function([relu()])
    for i in range(100):
        imports.opset_import.add(domain="d%d" % i, version=1)
    case("function_100_domains", limit, calling([imports]))


def model_with_function():
    made = calling([function([helper.make_node("Nobody", ["q"], ["r"])])])
    made.graph.node[0].CopyFrom(relu())
    return made


def onnx_domain():
    made = model([relu()], ir=8)
    made.functions.extend([function([helper.make_node("Relu", ["x"], ["y"])], "Relu", domain="")])
    return made


def function_attribute_cases():
    broken, limit, fine = "load:GIG_EFORMAT", "load:GIG_ELIMIT", "network:GIG_OK"
    slope = helper.make_attribute("slope", 0.5)
    body = [referring()]
    case("function_attribute_left_out", fine, calling([function(body, attributes=["slope"])]))
    case("function_attribute_unknown", broken, calling([function(body)], call(slope=0.5)))
    case("function_attribute_not_its_own", fine, calling([function([relu()])], call(slope=0.5)))
    case("function_attribute_of_another_type", broken, calling([function(body, attributes=["slope"])], call(slope=2)))
    case("function_attribute_listed_twice", broken, calling([function(body, attributes=["slope", "slope"])]))
    case("function_attribute_without_name", broken, calling([function([relu()], attributes=[""])]))
    case("function_attribute_name_of_5000_bytes", limit, calling([function([relu()], attributes=["a" * 5000])]))
    case("function_300_attributes", limit, calling([function([relu()], attributes=["a%d" % i for i in range(300)])]))
    twice = call(slope=0.5)
    twice.attribute.add().CopyFrom(slope)
    case("function_attribute_given_twice", broken, calling([function(body, attributes=["slope"])], twice))
    many = call()
    for i in range(300):
        many.attribute.add(name="a%d" % i, type=AttributeProto.INT, i=i)
    case("function_call_of_300_attributes", limit, calling([function([relu()])], many))
    outside = call()
    outside.attribute.add(name="slope", type=AttributeProto.FLOAT, ref_attr_name="other")
    case("function_attribute_refers_from_graph", broken, calling([function(body, attributes=["slope"])], outside))
    handed = call("G")
    handed.attribute.add(name="slope", type=AttributeProto.FLOAT, ref_attr_name="other")
    inner = function(body, "G", attributes=["slope"])
    case("function_attribute_handed_on_unknown", broken, calling([function([handed]), inner]))
    case("function_attribute_handed_on", fine, calling([function([handed], attributes=["other"]), inner],
                                                       call(other=0.5)))
    tensor = helper.make_node("Constant", [], ["w"])
    tensor.attribute.add(name="value", type=AttributeProto.TENSOR, ref_attr_name="w")
    add = [tensor, helper.make_node("Add", ["x", "w"], ["y"])]
    for name, given, status in (("fine", array("", [1, 2, 3, 4]), fine), ("short", raw("", [4], F, b""), broken)):
        case("function_attribute_tensor_" + name, status, calling([function(add, attributes=["w"])], call(w=given)))

    def default(data):
        return calling([with_field(function(body), 11, data)])
    sound = slope.SerializeToString()
    case("function_default", fine, default(sound))
    case("function_default_and_listed", broken, calling([with_field(function(body, attributes=["slope"]), 11, sound)]))
    case("function_default_twice", broken, calling([with_field(with_field(function(body), 11, sound), 11, sound)]))
    case("function_default_without_name", broken, default(AttributeProto(type=1, f=1).SerializeToString()))
    case("function_default_cut", broken, default(sound[:-1]))
    case("function_default_of_half_a_float", broken, default(sound + field(7, b"abc")))
    case("function_default_name_not_utf8", broken, default(sound.replace(b"slope", b"sl\xffpe")))
    case("function_default_of_300", limit, calling([many_defaults()]))
    deep = b""
    for i in range(120):
        deep = field([5, 1, 6][i % 3], deep)  # from outside: AttributeProto.g, GraphProto.node, NodeProto.attribute
    case("function_default_depth_120", limit, default(deep))
    as_number = calling([function(body)]).SerializeToString(deterministic=True)
    case("function_default_as_number", broken, as_number + field(25, varint(11 << 3) + b"\x01"))


def many_defaults():
    made = function([relu()])
    for i in range(300):
        with_field(made, 11, helper.make_attribute("a%d" % i, i).SerializeToString())
    return made


def overload_cases():
    broken = "load:GIG_EFORMAT"
    two = [function([relu()]), with_field(function([helper.make_node("Neg", ["x"], ["y"])]), 13, b"two")]
    case("function_overloads", "network:GIG_OK", calling(two, with_field(call(), 8, b"two")))
    case("function_overload_unknown", "network:GIG_EUNSUPPORTED", calling(two, with_field(call(), 8, b"three")))
    case("function_overload_twice", broken, calling(two + two[1:]))
    case("function_overload_not_utf8", broken, calling(two, with_field(call(), 8, b"t\xffo")))
    case("function_overload_with_nul", broken, calling([with_field(function([relu()]), 13, b"t\0o")]))
    number = call()
    number.MergeFromString(varint(8 << 3) + b"\x01")
    case("function_overload_as_number", broken, calling(two, number))


def conv(dims=(1, 2, 5, 5), weights=(2, 2, 3, 3), **attributes):
    return model([helper.make_node("Conv", ["x", "w"], ["y"], **attributes)], inputs=[value("x", dims)],
                 weights=[array("w", np.ones(weights))])


def unary(op, dims=(1, 4), opset=13, constants=(), **attributes):
    names = ["c%d" % i for i in range(len(constants))]
    made = [array(n, c[0], c[1]) for n, c in zip(names, constants) if c is not None]
    inputs = ["x"] + [n if c is not None else "" for n, c in zip(names, constants)]
    return model([helper.make_node(op, inputs, ["y"], **attributes)], inputs=[value("x", dims)], weights=made,
                 opset=opset)


def shape_cases():
    i64, f32 = np.int64, np.float32
    broken, limit = "network:GIG_EFORMAT", "network:GIG_ELIMIT"
    for name, attributes in [
            ("kernel_of_1", dict(kernel_shape=[3])), ("kernel_of_3", dict(kernel_shape=[3, 3, 3])),
            ("kernel_differs", dict(kernel_shape=[1, 1])), ("strides_of_1", dict(strides=[1])),
            ("strides_of_100", dict(strides=[1] * 100)), ("strides_0", dict(strides=[0, 1])),
            ("strides_negative", dict(strides=[-1, 1])), ("dilations_of_1", dict(dilations=[1])),
            ("dilations_of_100", dict(dilations=[1] * 100)), ("dilations_0", dict(dilations=[0, 0])),
            ("pads_of_1", dict(pads=[1])), ("pads_of_100", dict(pads=[1] * 100)),
            ("group_0", dict(group=0)), ("group_negative", dict(group=-1)), ("group_3", dict(group=3)),
            ("group_2_40", dict(group=2 ** 40)), ("auto_pad_odd", dict(auto_pad="SAME"))]:
        case("conv_" + name, broken, conv(**attributes))
    case("conv_kernel_beyond_input", broken, conv(dims=(1, 2, 2, 2)))
    case("conv_pads_negative", broken, conv(pads=[-9, -9, -9, -9]))
    case("conv_pads_2_40", limit, conv(pads=[2 ** 40] * 4))
    case("conv_pads_int64_max", limit, conv(pads=[2 ** 63 - 1] * 4))
    case("conv_channels_differ", broken, conv(weights=(2, 3, 3, 3)))
    case("conv_weights_of_rank_2", broken, conv(weights=(2, 2)))
    case("conv_weights_of_rank_5", broken, conv(weights=(2, 2, 3, 3, 3)))
    case("conv_input_of_rank_2", "network:GIG_EUNSUPPORTED", conv(dims=(1, 2)))
    case("conv_no_weights", broken, unary("Conv", (1, 2, 5, 5)))
    pool = dict(dims=(1, 2, 5, 5))
    case("pool_kernel_0", broken, unary("MaxPool", kernel_shape=[0, 0], **pool))
    case("pool_no_kernel", broken, unary("MaxPool", **pool))
    case("pool_kernel_of_1", broken, unary("MaxPool", kernel_shape=[2], **pool))
    case("pool_kernel_2_40", limit, unary("MaxPool", kernel_shape=[2 ** 40, 1], **pool))
    case("pool_ceil_stride_2_40", limit,
         unary("MaxPool", kernel_shape=[2, 2], strides=[2 ** 40, 2 ** 40], ceil_mode=1, **pool))
    case("pool_pads_2_40", limit, unary("AveragePool", kernel_shape=[2, 2], pads=[2 ** 40] * 4, **pool))
    case("reshape_two_free", broken, unary("Reshape", constants=[([-1, -1], i64)]))
    case("reshape_minus_2", broken, unary("Reshape", constants=[([-2, 2], i64)]))
    case("reshape_other_count", broken, unary("Reshape", constants=[([1, 5], i64)]))
    case("reshape_2_62_by_4", limit, unary("Reshape", constants=[([2 ** 62, 4], i64)]))
    case("reshape_zero_beyond_rank", broken, unary("Reshape", constants=[([1, 4, 0], i64)]))
    case("reshape_rank_9", limit, unary("Reshape", constants=[([1] * 8 + [4], i64)]))
    case("concat_axis_99", broken, model([helper.make_node("Concat", ["x", "x"], ["y"], axis=99)]))
    case("concat_without_axis", broken, model([helper.make_node("Concat", ["x", "x"], ["y"])]))
    case("concat_dims_differ", broken, model([helper.make_node("Concat", ["x", "w"], ["y"], axis=0)],
                                             weights=[array("w", np.ones((1, 3)))]))
    case("gemm_mismatch", broken, unary("Gemm", transB=1, constants=[(np.ones((4, 3)), f32)]))
    case("matmul_mismatch", broken, unary("MatMul", constants=[(np.ones((3, 4)), f32)]))
    case("add_mismatch", broken, unary("Add", constants=[(np.ones(3), f32)]))
    case("softmax_axis_99", broken, unary("Softmax", axis=99))
    case("transpose_perm_twice", broken, unary("Transpose", perm=[0, 0]))
    case("transpose_perm_of_1", broken, unary("Transpose", perm=[0]))
    case("transpose_perm_99", broken, unary("Transpose", perm=[0, 99]))
    case("flatten_axis_99", broken, unary("Flatten", axis=99))
    case("squeeze_not_1", broken, unary("Squeeze", constants=[([1], i64)]))
    case("unsqueeze_axis_99", broken, unary("Unsqueeze", constants=[([99], i64)]))
    case("unsqueeze_twice", broken, unary("Unsqueeze", constants=[([0, 0], i64)]))
    case("gather_out_of_range", broken, unary("Gather", axis=1, constants=[([4], i64)]))
    case("gather_int64_min", broken, unary("Gather", axis=1, constants=[([-(2 ** 63)], i64)]))
    case("gather_axis_9", broken, unary("Gather", axis=9, constants=[([0], i64)]))
    case("slice_step_0", broken, unary("Slice", constants=[([0], i64), ([1], i64), ([1], i64), ([0], i64)]))
    case("slice_axis_9", broken, unary("Slice", constants=[([0], i64), ([1], i64), ([9], i64)]))
    case("slice_lengths_differ", broken, unary("Slice", constants=[([0, 0], i64), ([1], i64)]))
    case("pad_2_40", limit, unary("Pad", constants=[([0, 0, 0, 2 ** 40], i64)]))
    case("pad_int64_max", limit, unary("Pad", constants=[([0, 2 ** 63 - 1, 0, 2 ** 63 - 1], i64)]))
    case("pad_of_1", broken, unary("Pad", constants=[([1], i64)]))
    case("pad_negative_all", broken, unary("Pad", constants=[([0, -3, 0, -3], i64)]))
    case("expand_2_40", limit, unary("Expand", (1, 1), constants=[([1, 2 ** 40], i64)]))
    case("expand_negative", broken, unary("Expand", (1, 1), constants=[([1, -4], i64)]))
    case("tile_2_40", limit, unary("Tile", constants=[([1, 2 ** 40], i64)]))
    case("tile_negative", broken, unary("Tile", constants=[([1, -2], i64)]))
    case("resize_scale_0", broken, unary("Resize", (1, 1, 2, 2), constants=[None, ([1, 1, 0, 0], f32)]))
    case("resize_scale_nan", broken, unary("Resize", (1, 1, 2, 2), constants=[None, ([1, 1, np.nan, 1], f32)]))
    case("resize_scale_10_9", limit, unary("Resize", (1, 1, 2, 2), constants=[None, ([1, 1, 1e9, 1e9], f32)]))
    case("resize_scales_of_2", broken, unary("Resize", (1, 1, 2, 2), constants=[None, ([1, 1], f32)]))
    case("upsample_scale_minus_1", broken, unary("Upsample", (1, 1, 2, 2), 9, constants=[([1, 1, -1, 1], f32)]))
    case("split_sizes_differ", broken, unary("Split", axis=1, constants=[([3, 2], i64)]))
    case("split_negative", broken, unary("Split", axis=1, constants=[([-1], i64)]))
    case("batch_norm_of_3", broken, unary("BatchNormalization", (1, 2, 2, 2),
                                          constants=[(np.ones(3), f32)] * 4))
    case("lrn_size_0", broken, unary("LRN", (1, 2, 2, 2), size=0))
    case("depth_to_space_0", broken, unary("DepthToSpace", (1, 4, 2, 2), blocksize=0))
    case("depth_to_space_3", broken, unary("DepthToSpace", (1, 4, 2, 2), blocksize=3))
    case("depth_to_space_2_40", broken, unary("DepthToSpace", (1, 4, 2, 2), blocksize=2 ** 40))
    case("cast_to_99", "network:GIG_EUNSUPPORTED", unary("Cast", to=99))
    case("einsum_odd", broken, unary("Einsum", equation="ij->ijj k"))
    case("relu_without_input", broken, model([helper.make_node("Relu", [], ["y"])]))
    case("relu_input_left_out", broken, model([helper.make_node("Relu", [""], ["y"])]))
    for op, rest in (("LRN", dict(size=3)), ("Relu", {}), ("Conv", {}), ("Constant", dict(value_float=1.0))):
        inputs = {"Constant": [], "Conv": ["x", "w"]}.get(op, ["x"])
        for name, outputs in (("second_output", ["z", "y"]), ("first_output_left_out", ["", "y"])):
            case("%s_%s" % (op.lower(), name), broken,
                 model([helper.make_node(op, inputs, outputs, **rest)], inputs=[value("x", (1, 2, 5, 5))],
                       weights=[array("w", np.ones((2, 2, 3, 3)))]))
    case("sum_of_500", "network:GIG_OK", model([helper.make_node("Sum", ["x"] * 500, ["y"])]))
    fill = [helper.make_node("ConstantOfShape", ["s"], ["w"]), helper.make_node("Add", ["x", "w"], ["y"])]
    case("fill_10_14", limit, model(fill, weights=[array("s", [10 ** 7, 10 ** 7], np.int64)]))
    case("fill_negative", broken, model(fill, weights=[array("s", [-4], np.int64)]))
    spread = [helper.make_node("Range", ["a", "b", "c"], ["w"]), helper.make_node("Add", ["x", "w"], ["y"])]
    def span(a, b, c):
        return model(spread, weights=[array("a", a), array("b", b), array("c", c)])
    case("range_step_0", broken, span(0, 4, 0))
    case("range_of_10_12", limit, span(0, 1e12, 1))
    case("range_nan", broken, span(0, np.nan, 1))
    hot = [helper.make_node("OneHot", ["i", "d", "v"], ["w"]), helper.make_node("Add", ["x", "w"], ["y"])]
    case("one_hot_2_40", limit, model(hot, weights=[array("i", [0], np.int64), array("d", [2 ** 40], np.int64),
                                                    array("v", [0, 1])]))
    case("top_k_9", broken, model([helper.make_node("TopK", ["x", "k"], ["y", "i"])],
                                  weights=[array("k", [9], np.int64)]))
    case("top_k_negative", broken, model([helper.make_node("TopK", ["x", "k"], ["y", "i"])],
                                         weights=[array("k", [-1], np.int64)]))


# ---- numbers ----

def number_cases():
    def plus(values, dims=(1, 4)):
        return model([helper.make_node("Add", ["x", "w"], ["y"])], inputs=[value("x", dims)],
                     weights=[array("w", values)])
    fine, numeric = "run:GIG_OK", "run:GIG_ENUMERIC"
    case("nan_weight", numeric, plus([np.nan, 1, 1, 1]))
    case("infinite_weight", numeric, plus([np.inf, 1, 1, 1]))
    case("infinite_weight_of_another_class", fine, plus([1, 1, np.inf, 1]))
    case("minus_infinite_weight", numeric, plus([-np.inf, 1, 1, 1]))
    case("denormal_weight", fine, plus([1e-40, 1e-45, 1, 1]))
    case("zero_model", fine, unary("Mul", constants=[([0.0], np.float32)]))
    case("constant_output", fine, model([helper.make_node("Sub", ["x", "x"], ["y"])]))
    case("two_equal_logits", fine, plus([1, 1], (1, 2)))
    case("one_class", fine, plus([1], (1, 1)))
    case("overflow", numeric,
         model([helper.make_node("Mul", ["x", "w"], ["h"]), helper.make_node("Mul", ["h", "w"], ["y"])],
               weights=[array("w", [3e38] * 4)]))
    case("log_of_negative", numeric, model([helper.make_node("Neg", ["x"], ["h"]),
                                            helper.make_node("Log", ["h"], ["y"])]))
    case("divided_by_zero", numeric, unary("Div", constants=[([0.0], np.float32)]))
    case("whole_divided_by_zero", "network:GIG_ENUMERIC",
         model([helper.make_node("Div", ["a", "b"], ["c"]), helper.make_node("Cast", ["c"], ["w"], to=1),
                helper.make_node("Add", ["x", "w"], ["y"])],
               weights=[array("a", [4], np.int64), array("b", [0], np.int64)]))
    case("whole_min_by_minus_1", "network:GIG_OK",
         model([helper.make_node("Div", ["a", "b"], ["c"]), helper.make_node("Cast", ["c"], ["w"], to=1),
                helper.make_node("Add", ["x", "w"], ["y"])],
               weights=[array("a", [-(2 ** 63)], np.int64), array("b", [-1], np.int64)]))
    for op in ("Add", "Sub", "Mul"):
        case("whole_%s_wraps" % op.lower(), "network:GIG_OK",
             model([helper.make_node(op, ["a", "b"], ["c"]), helper.make_node("Cast", ["c"], ["w"], to=1),
                    helper.make_node("Add", ["x", "w"], ["y"])],
                   weights=[array("a", [-(2 ** 63)], np.int64), array("b", [2 ** 63 - 1], np.int64)]))
    case("cast_of_nan", "network:GIG_OK",
         model([helper.make_node("Cast", ["a"], ["b"], to=7), helper.make_node("Cast", ["b"], ["w"], to=1),
                helper.make_node("Add", ["x", "w"], ["y"])], weights=[array("a", [np.nan, 1e30, -1e30, np.inf])]))
    case("batch_norm_negative_variance", numeric,
         unary("BatchNormalization", (1, 2, 2, 2),
               constants=[(np.ones(2), np.float32)] * 3 + [(-np.ones(2), np.float32)]))
    case("batch_norm_zero_variance", fine,
         unary("BatchNormalization", (1, 2, 2, 2),
               constants=[(np.ones(2), np.float32)] * 3 + [(np.zeros(2), np.float32)]))
    case("million_classes", fine, unary("Tile", constants=[([1, 250000], np.int64)]))


# ---- what costs much ----

def bomb_cases():
    def table(op, dims, constants=(), **attributes):
        return unary(op, dims, constants=list(constants), **attributes)
    limit = "network:GIG_ELIMIT"
    case("transpose_of_nothing_2_30", "network:GIG_OK", table("Transpose", (1, 0, 1 << 30)))
    case("transpose_2_29", limit, table("Transpose", (1, 1 << 29, 1)))
    case("expand_of_nothing_2_30", "network:GIG_OK", table("Expand", (1, 0, 1), [([1, 0, 1 << 30], np.int64)]))
    case("max_pool_kernel_2_28", "network:GIG_OK",
         table("MaxPool", (1, 1, 9), kernel_shape=[1 << 28], pads=[1 << 27, 1 << 27]))
    case("average_pool_kernel_2_30", "network:GIG_OK",
         table("AveragePool", (1, 1, 9), kernel_shape=[1 << 30], pads=[1 << 29, 1 << 29]))
    case("average_pool_area_2_32", "network:GIG_OK",
         table("AveragePool", (1, 8, 2, 2), kernel_shape=[65536, 65536], strides=[65536, 65536],
               pads=[65534, 65534, 65535, 65535], count_include_pad=1))
    case("conv_pads_2_23", limit,
         model([helper.make_node("Conv", ["x", "w"], ["y"], pads=[1 << 23, 1 << 23])], inputs=[value("x", (1, 1, 9))],
               weights=[array("w", [[[1, 2, 3]]])]))
    case("conv_stride_2_29", "network:GIG_OK",
         model([helper.make_node("Conv", ["x", "w"], ["y"], pads=[1 << 20, 1 << 20], strides=[1 << 29])],
               inputs=[value("x", (1, 1, 9))], weights=[array("w", [[[1, 2, 3]]])]))
    ones = [helper.make_node("ConstantOfShape", ["s"], ["a"])]
    case("einsum_2_40", limit,
         model([helper.make_node("Einsum", ["x", "w", "w"], ["y"], equation="ai,bj,ck->abcijk")],
               weights=[array("w", np.ones((16, 128)))], inputs=[value("x", (16, 128))]))
    case("einsum_sum_of_2_40", limit,
         model([helper.make_node("Einsum", ["x", "w", "w"], ["y"], equation="ai,j,k->a")],
               weights=[array("w", np.ones(2000))], inputs=[value("x", (1, 1 << 20))]))
    case("fold_einsum_2_35", limit,
         model(ones + [helper.make_node("Einsum", ["a", "a", "a"], ["w"], equation="i,j,k->"),
                       helper.make_node("Add", ["x", "w"], ["y"])], weights=[array("s", [3300], np.int64)]))
    case("fold_matmul_2_33", limit,
         model(ones + [helper.make_node("MatMul", ["a", "a"], ["w"]), helper.make_node("ReduceSum", ["w"], ["r"]),
                       helper.make_node("Add", ["x", "r"], ["y"])], weights=[array("s", [2048, 2048], np.int64)]))
    case("fold_conv_2_35", limit,
         model([helper.make_node("ConstantOfShape", ["s"], ["a"]), helper.make_node("ConstantOfShape", ["t"], ["k"]),
                helper.make_node("Conv", ["a", "k"], ["w"]), helper.make_node("ReduceSum", ["w"], ["r"]),
                helper.make_node("Add", ["x", "r"], ["y"])],
               weights=[array("s", [1, 64, 400, 400], np.int64), array("t", [64, 64, 7, 7], np.int64)]))
    many = [helper.make_node("Exp", ["a"], ["b0"])]
    many += [helper.make_node("Exp", ["b%d" % i], ["b%d" % (i + 1)]) for i in range(400)]
    case("fold_400_exps", limit,
         model(ones + many + [helper.make_node("ReduceSum", ["b400"], ["r"]), helper.make_node("Add", ["x", "r"], ["y"])],
               weights=[array("s", [5000000], np.int64)]))
    # the slowest functions, as often as folding allows
    big = [helper.make_node("ConstantOfShape", ["s"], ["b0"], value=array("v", [0.7]))]
    for op, more, attributes in (("Pow", ["p"], {}), ("Erf", [], {}), ("Sin", [], {}), ("Atan", [], {}), ("Softmax", [], {}),
                                 ("CumSum", ["z"], {}), ("Gelu", [], {"approximate": "tanh"}),
                                 ("TopK", ["k"], {}), ("LpNormalization", [], {})):
        many = []
        for i in range(200):
            outputs = ["b%d" % (i + 1)] + (["unused%d" % i] if op == "TopK" else [])
            many.append(helper.make_node(op, ["b%d" % i] + more, outputs, **attributes))
        case("fold_200_of_" + op.lower(), limit,
             model(big + many + [helper.make_node("ReduceSum", ["b200"], ["r"]), helper.make_node("Add", ["x", "r"], ["y"])],
                   weights=[array("s", [2000000], np.int64), array("p", 1.0001), array("z", 0, np.int64),
                            array("k", [2000000], np.int64)], opset=20, ir=9))
    # each If waits for the one before, and all that is folded is folded again
    rounds = [helper.make_node("ConstantOfShape", ["s"], ["a"], value=array("v", [0.7]))]
    for i in range(100):
        def branch(name, fill):
            return helper.make_graph([helper.make_node("Erf", ["a"], ["e%d%s" % (i, name)]),
                                      helper.make_node("ReduceSum", ["e%d%s" % (i, name)], ["r%d%s" % (i, name)], keepdims=0),
                                      helper.make_node("Greater", ["r%d%s" % (i, name), fill], ["g%d%s" % (i, name)])],
                                     name, [], [value("g%d%s" % (i, name), [], TensorProto.BOOL)])
        rounds.append(helper.make_node("If", ["c%d" % i], ["c%d" % (i + 1)], then_branch=branch("t", "zero"),
                                       else_branch=branch("f", "zero")))
    rounds += [helper.make_node("Cast", ["c100"], ["r"], to=F), helper.make_node("Add", ["x", "r"], ["y"])]
    case("fold_in_100_rounds", limit,
         model(rounds, weights=[array("s", [1 << 20], np.int64), array("c0", True, bool), array("zero", 0.0)]))
    case("resize_to_2_29", limit, table("Resize", (1, 1, 1, 2), [([], np.float32), ([1, 1, 1, 1 << 28], np.float32)],
                                        mode="linear"))
    case("pad_to_2_29", limit, table("Pad", (1, 1), [([0, 0, 0, 1 << 29], np.int64)]))
    case("tile_to_2_29", limit, table("Tile", (1, 1), [([1, 1 << 29], np.int64)]))
    case("one_hot_of_2_28", limit,
         model([helper.make_node("OneHot", ["i", "d", "v"], ["w"]), helper.make_node("ReduceSum", ["w"], ["r"]),
                helper.make_node("Add", ["x", "r"], ["y"])],
               weights=[array("i", [3], np.int64), array("d", 1 << 28, np.int64), array("v", [0, 1])]))


def main():
    for part in (wire_cases, version_cases, size_cases, graph_cases, type_cases, attribute_cases, operator_cases,
                 function_cases, function_attribute_cases, overload_cases, shape_cases, number_cases,
                 bomb_cases):
        part()
    os.makedirs(FOLDER, exist_ok=True)
    kept = {name + ".onnx" for name, _, _ in cases}
    for old in os.listdir(FOLDER):
        if old.endswith(".onnx") and old not in kept and not old.startswith("found_"):
            os.remove(os.path.join(FOLDER, old))
    lines = []
    for name, expected, data in cases:
        with open(os.path.join(FOLDER, name + ".onnx"), "wb") as out:
            out.write(data)
        lines.append("%s.onnx %s\n" % (name, expected))
    with open(os.path.join(FOLDER, "manifest"), "w") as out:
        out.writelines(sorted(lines))
    print("%d files, %d bytes" % (len(cases), sum(len(d) for _, _, d in cases)))


if __name__ == "__main__":
    sys.exit(main())
