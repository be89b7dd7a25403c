// The files of cases, one a subject; case.cpp puts them together.
#pragma once

#include "engine/selftest/case.h"

#include <vector>

namespace ondo {

void addTruthCases(std::vector<SelftestCase>& out);            // the closed forms themselves, against published numbers
void addPlanCases(std::vector<SelftestCase>& out);             // stability limits, phase errors
void addGreenCases(std::vector<SelftestCase>& out);            // full space, half-space
void addLayerCases(std::vector<SelftestCase>& out);            // reflection and head wave
void addDensityCases(std::vector<SelftestCase>& out);          // variable density: contacts, reciprocity, its limit
void addOrderCases(std::vector<SelftestCase>& out);            // convergence in space and time
void addAbsorptionCases(std::vector<SelftestCase>& out);       // CPML
void addConservationCases(std::vector<SelftestCase>& out);     // energy, reciprocity, transpose
void addSymmetryCases(std::vector<SelftestCase>& out);         // mirror images
void addPeerCases(std::vector<SelftestCase>& out);             // PEERS.md
void addMarmousiCases(std::vector<SelftestCase>& out);         // PEERS.md P23
void addStabilityCases(std::vector<SelftestCase>& out);        // a million steps
void addParityCases(std::vector<SelftestCase>& out);           // reference, host, device
void addAdjointReferenceCases(std::vector<SelftestCase>& out); // the transpose of a step and of a run, node by node
void addAdjointLawCases(std::vector<SelftestCase>& out);       // dot products, central differences, Taylor's slope
void addAdjointTruthCases(std::vector<SelftestCase>& out);     // tiny_gradient.csv, taylor.csv
void addAdjointModeCases(std::vector<SelftestCase>& out);      // memory modes, shots in company, the time step
void addAdjointTangentCases(std::vector<SelftestCase>& out);   // Born traces, products with the Hessian
void addSessionCases(std::vector<SelftestCase>& out);          // the thread around it

} // namespace ondo
